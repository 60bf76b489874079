import type { Ending, Patience } from "./patience.ts";
import type { LogStream } from "./source.ts";

export interface FollowAllOptions extends Patience {
  readonly streams: readonly LogStream[];
  /** Last lines of each log to begin with. */
  readonly tail: number;
  /** Seconds between two looks at files. Default: 1. */
  readonly lookSeconds?: number;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Takes a line of a log: standard output. */
  readonly out: (line: string) => void;
  /** Takes what there is to say besides: standard error. */
  readonly say: (line: string) => void;
}

/** Follows all of them at once, each line with the name of its log before it, until they have all come to an end. */
export async function followAll(options: FollowAllOptions): Promise<readonly Ending[]> {
  const { streams, out, say, lookSeconds = 1, ...rest } = options;
  return Promise.all(
    streams.map((stream) =>
      stream.follow({
        ...rest,
        lookSeconds,
        line: (log, text) => out(`[${log}] ${text}`),
        tell: (log, text) => say(`[${log}] ${text}`),
      }),
    ),
  );
}
