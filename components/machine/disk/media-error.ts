import { Failure } from "../../../host/failure.ts";
import type { HostProblem } from "../../../config/host-problem.ts";
import { hostProblemText } from "../../../config/host-problem.ts";

/** Installation media that no image can be made from. */
export class MediaError extends Failure {
  override readonly name = "MediaError";
  readonly problems: readonly HostProblem[];

  constructor(problems: readonly HostProblem[]) {
    const lines = problems.map((problem) => `  - ${hostProblemText(problem)}`);
    super(`no image can be made from these media; nothing was changed:\n${lines.join("\n")}`);
    this.problems = problems;
  }
}

/**
 * What `look` finds; undefined where it is a MediaError, whose problems are added to those found before: all are told
 * at once.
 */
export async function collecting<T>(
  problems: HostProblem[],
  look: () => T | Promise<T>,
): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof MediaError)) {
      throw error;
    }
    problems.push(...error.problems);
    return undefined;
  }
}
