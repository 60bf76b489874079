import { Failure } from "../host/failure.ts";
import type { Complaint } from "./problem.ts";

export interface HostProblem extends Complaint {
  /** The program, file or setting at fault: `Docker`, `/dev/kvm`, `kindows:network.bridge: "kw-dev"`. */
  readonly subject: string;
}

export function hostProblemText({ subject, why, instead }: HostProblem): string {
  // The quoted message of a program or server may end with a question mark.
  return `${subject} ${why}${why.endsWith("?") ? "" : "."} ${instead}`;
}

export function hostProblemsText(
  problems: readonly HostProblem[],
  where: "on this host" | "in the cluster" = "on this host",
): string {
  const count = problems.length === 1 ? "1 thing is" : `${problems.length} things are`;
  const lines = problems.map((problem) => `  - ${hostProblemText(problem)}`);
  return `${count} in the way ${where}; nothing was changed:\n${lines.join("\n")}`;
}

export function throwAny(problems: readonly HostProblem[]): void {
  if (problems.length > 0) throw new Failure(hostProblemsText(problems));
}

/** Facts, or why they could not be gathered. */
export type Gathered<T> =
  | ({ readonly reachable: true } & T)
  | {
      readonly reachable: false;
      /** The last line of the error. */
      readonly error: string;
    };
