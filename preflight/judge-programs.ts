import type { Settings } from "../config/settings.ts";
import type { HostFacts } from "./host-facts.ts";
import type { HostProblem } from "../config/host-problem.ts";

/** The programs for the Windows nodes are known by their checksums, and in this host's cache. */
export function judgePrograms(_settings: Settings, { programs }: HostFacts): HostProblem[] {
  const { unpinned, missing } = programs;
  const problems: HostProblem[] = [];
  if (unpinned.length > 0) {
    problems.push({
      subject: `The checksum of ${unpinned.join(", ")}`,
      why: "is not known, and nothing is installed without one",
      instead:
        "Run `./kindows fetch --stack <name>`, which takes those their publishers give, or write them into kindows:windows.checksums.",
    });
  }
  if (missing.length > 0) {
    problems.push({
      subject: `The Windows program ${missing.join(", ")}`,
      why: "is not in this host's cache",
      instead: "Run `./kindows fetch --stack <name>`.",
    });
  }
  return problems;
}
