import type { Ending, Patience } from "./patience.ts";

/** What a source is followed with. */
export interface Following extends Patience {
  /** Last lines of each log to begin with. */
  readonly tail: number;
  /** Seconds between two looks at files. */
  readonly lookSeconds: number;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Takes a line without secrets, and the name of the log it is from. */
  readonly line: (log: string, text: string) => void;
  /** Takes what there is to say about a source or one of its logs. */
  readonly tell: (log: string, text: string) => void;
}

/** Something whose logs can be followed: a node, a control plane, the steps of `up`. */
export interface LogStream {
  /** As it is asked for, e.g. `win-1`. */
  readonly name: string;
  /** Follows it to its end: until it is told to, or the source is given up. Never fails. */
  follow(following: Following): Promise<Ending>;
}
