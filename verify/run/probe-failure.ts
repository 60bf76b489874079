/**
 * What kind of failure it was.
 *
 * - `name`: the name was not resolved.
 * - `refused`, `lost`, `unreachable`: no connection; turned down, no answer in time, no route.
 * - `answer`: an answer, but not the right one.
 * - `exec`: the command could not be run at all.
 */
export type FailureKind = "name" | "refused" | "lost" | "unreachable" | "answer" | "exec" | "other";

export interface ProbeFailure {
  readonly kind: FailureKind;
  /** In the words of who said it. */
  readonly text: string;
}
