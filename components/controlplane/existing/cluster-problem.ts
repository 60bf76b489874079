import { type HostProblem, hostProblemText } from "../../../config/host-problem.ts";

/** One thing about a cluster that stands against joining Windows machines to it. */
export type ClusterProblem = HostProblem;

/** All of them in one message. */
export function clusterProblemsText(problems: readonly ClusterProblem[]): string {
  const count = problems.length === 1 ? "1 thing is" : `${problems.length} things are`;
  const lines = problems.map((problem) => `  - ${hostProblemText(problem)}`);
  return `${count} in the way in the cluster; nothing was changed:\n${lines.join("\n")}`;
}

/** A part of an object of the cluster that must be so for Windows nodes. */
export interface ClusterChange {
  /** As people call it, e.g. `Installation default`. */
  readonly object: string;
  readonly path: string;
  /** The object with nothing but what must be so, for server-side apply. */
  readonly fields: Record<string, unknown>;
  /** Whether it is so already. */
  readonly done: boolean;
  /** What is not so, as the rest of a sentence. */
  readonly why: string;
  /** The same by kubectl. */
  readonly command: string;
}
