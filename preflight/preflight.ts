import { log } from "@pulumi/pulumi";
import { RunError } from "@pulumi/pulumi/errors.js";
import type { Settings } from "../config/settings.ts";
import { hostFacts } from "./host-facts.ts";
import { hostProblemText, hostProblemsText } from "../config/host-problem.ts";
import { checkHost } from "./checks.ts";
import { checkConfinement } from "./confinement.ts";

/**
 * Sees to it that this host can have the lab, before anything of it is made; for a real run only, not for a preview.
 *
 * @throws RunError, which Pulumi prints without a stack trace, with everything that is in the way.
 */
export async function preflight(settings: Settings): Promise<void> {
  const facts = await hostFacts(settings);
  const problems = checkHost(settings, facts);
  if (problems.length > 0) {
    throw new RunError(hostProblemsText(problems));
  }
  for (const problem of checkConfinement(settings, facts)) {
    await log.warn(hostProblemText(problem));
  }
}
