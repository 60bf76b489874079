import type { Complaint } from "../problem.ts";

/** One thing this host lacks, or has that is in the way. */
export interface HostProblem extends Complaint {
  /** What it is about, as a user would look for it: `Docker`, `/dev/kvm`, `kindows:network.bridge: "kw-dev"`. */
  readonly subject: string;
}

/** The one line for a problem. */
export function hostProblemText({ subject, why, instead }: HostProblem): string {
  return `${subject} ${why}. ${instead}`;
}

/** Everything on this host that a lab can't be made with. */
export class PreflightError extends Error {
  readonly problems: readonly HostProblem[];

  constructor(problems: readonly HostProblem[]) {
    const count = problems.length === 1 ? "1 thing" : `${problems.length} things`;
    const lines = problems.map((problem) => `  - ${hostProblemText(problem)}`);
    super(`${count} in the way on this host; nothing was created:\n${lines.join("\n")}`);
    this.name = "PreflightError";
    this.problems = problems;
  }
}
