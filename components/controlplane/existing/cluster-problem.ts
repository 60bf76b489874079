import type { HostProblem } from "../../../config/host-problem.ts";

export type ClusterProblem = HostProblem;

/** A part of an object of the cluster that must be so for Windows nodes. */
export interface ClusterChange {
  /** As people call it, e.g. `Installation default`. */
  readonly object: string;
  readonly path: string;
  /** The object with nothing but what must be so, for server-side apply. */
  readonly fields: Record<string, unknown>;
  readonly done: boolean;
  /** What is not so, as the rest of a sentence. */
  readonly why: string;
  /** The same by kubectl. */
  readonly command: string;
}
