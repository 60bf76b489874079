import { log, getStack } from "@pulumi/pulumi";
import { RunError } from "@pulumi/pulumi/errors.js";
import type { Settings } from "../config/settings.ts";
import { hostFacts } from "./host-facts.ts";
import { hostProblemText, hostProblemsText } from "../config/host-problem.ts";
import { checkHost } from "./host-checks.ts";
import { checkConfinement } from "../components/machine/libvirt/confinement.ts";
import { checkUplink } from "../components/network/host-services.ts";
import { execa } from "execa";
import { labVariable } from "../config/names.ts";
import { projectRoot } from "../toolchain/project.ts";

/**
 * Checks that this host can run the lab, before anything is created. Not for a preview.
 *
 * @throws RunError, which Pulumi prints without a stack trace, with all problems.
 */
export async function preflight(settings: Settings): Promise<void> {
  const facts = await hostFacts(settings);
  const problems = checkHost(settings, facts);
  if (problems.length > 0) throw new RunError(hostProblemsText(problems));
  for (const problem of [...checkConfinement(settings, facts), ...checkUplink(settings, facts)]) {
    await log.warn(hostProblemText(problem));
  }
}

/**
 * Prepares this host for the lab if the user runs plain `pulumi up`. Every `kindows` command that starts the engine has
 * done so already.
 *
 * @throws RunError if the preparation fails; its output names the reasons.
 */
export async function prepareHost(): Promise<void> {
  if (process.env[labVariable] !== undefined) return;
  const prepare = ["prepare", "--stack", getStack()];
  const { failed } = await execa(
    process.execPath,
    ["toolchain/program/run.js", "cli/main.ts", ...prepare],
    { cwd: projectRoot, stdio: ["ignore", "ignore", "inherit"], reject: false },
  );
  if (failed) {
    throw new RunError(
      `this host is not ready: see above, or run \`./kindows ${prepare.join(" ")}\``,
    );
  }
}
