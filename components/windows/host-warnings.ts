import type { StepResult } from "./step-result.ts";

/** An evaluation licence that ends sooner than this causes a warning, in time to build a new image. */
const warningDays = 14;
const dayMilliseconds = 24 * 60 * 60 * 1000;

/**
 * Warnings about a machine from the result of Test-WindowsHost.
 * The result may be old, so the licence's end counts, not how many days were left then.
 *
 * @param host computer name.
 */
export function hostWarnings(host: string, result: StepResult, now: Date): string[] {
  const { evaluationEnds, rebootPending } = result.facts;
  const warnings: string[] = [];
  if (typeof evaluationEnds === "string" && evaluationEnds !== "") {
    const days = Math.floor((Date.parse(evaluationEnds) - now.getTime()) / dayMilliseconds);
    const remedy =
      "then Windows shuts down every hour. Extend it on the machine (`slmgr /rearm`, a reboot), or make a new image";
    if (days < 0) {
      warnings.push(
        `${host}: the evaluation licence of its Windows ended on ${evaluationEnds}: ${remedy}`,
      );
    } else if (days <= warningDays) {
      warnings.push(
        `${host}: the evaluation licence of its Windows ends in ${days} days: ${remedy}`,
      );
    }
  }
  if (typeof rebootPending === "string" && rebootPending !== "") {
    warnings.push(
      `${host}: Windows was waiting for a reboot when it was checked (${rebootPending}); ` +
        "installing the feature Containers reboots it, or reboot it by hand",
    );
  }
  return warnings;
}
