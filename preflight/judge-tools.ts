import { installText } from "../toolchain/host-packages.ts";
import type { Settings } from "../config/settings.ts";
import type { HostFacts } from "./host-facts.ts";
import type { HostProblem } from "../config/host-problem.ts";
import { providerTools } from "./probe-tools.ts";

/** Debian's package of each tool. */
const packages = { mkisofs: "genisoimage", xsltproc: "xsltproc" } as const;

/** The programs libvirt's provider starts are there. */
export function judgeTools(
  _settings: Settings,
  { tools, packageManager }: HostFacts,
): HostProblem[] {
  return tools.missing.map((name) => ({
    subject: `The program ${name}`,
    why: `is not on the PATH; it ${providerTools[name]}`,
    instead: `Install it: ${installText(packageManager, [packages[name]])}.`,
  }));
}
