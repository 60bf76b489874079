import { log, getStack } from "@pulumi/pulumi";
import { RunError } from "@pulumi/pulumi/errors.js";
import type { Settings } from "../config/settings.ts";
import { hostFacts } from "./host-facts.ts";
import { hostProblemText, hostProblemsText } from "../config/host-problem.ts";
import { checkHost } from "./checks.ts";
import { checkConfinement } from "./confinement.ts";
import { execa } from "execa";
import { labVariable } from "../config/names.ts";
import { projectRoot } from "../toolchain/project.ts";

/**
 * Sees to it that this host can have the lab, before anything of it is made; for a real run only, not for a preview.
 *
 * @throws RunError, which Pulumi prints without a stack trace, with everything that is in the way.
 */
export async function preflight(settings: Settings): Promise<void> {
  const facts = await hostFacts(settings);
  const problems = checkHost(settings, facts);
  if (problems.length > 0) throw new RunError(hostProblemsText(problems));
  for (const problem of checkConfinement(settings, facts)) {
    await log.warn(hostProblemText(problem));
  }
}

/**
 * Puts in place what the lab takes on this host, for plain `pulumi up`: every `kindows` command that starts the engine
 * has done so before.
 *
 * @throws RunError when something can't be had; what it is stands before it, line by line.
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
