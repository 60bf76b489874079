import { setTimeout as sleep } from "node:timers/promises";

import { messageOf } from "../../../host/failure.ts";

/** What a source is followed with. */
export interface Following extends RetryPolicy {
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

/** How long a source that does not answer is waited for. */
export interface RetryPolicy {
  /** Seconds from the moment it was lost on. */
  readonly waitSeconds: number;
  /** Seconds between two tries. */
  readonly pauseSeconds: number;
}

export interface RetryOptions extends RetryPolicy {
  /**
   * Follows the source until it is lost, which is an error, or there is no more of it.
   *
   * @param alive to be called whenever the source gives a sign of life.
   */
  readonly follow: (alive: () => void) => Promise<void>;
  /** Takes what there is to say about the source. */
  readonly tell: (text: string) => void;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Milliseconds of a clock that only goes on. */
  readonly now?: () => number;
}

/** How following came to its end. */
export type Ending = "ended" | "given up";

/** Follows a source, and when it is lost, waits and tries again: for a bounded time each time. */
export async function withRetries(options: RetryOptions): Promise<Ending> {
  const { follow, tell, signal, waitSeconds, pauseSeconds } = options;
  const now = options.now ?? (() => performance.now());
  let lost = 0;
  let silent = false;
  const alive = (): void => {
    if (silent) tell("answers again");
    silent = false;
  };
  while (!signal.aborted) {
    try {
      await follow(alive);
      return "ended";
    } catch (error) {
      // Whatever breaks when everything is being ended is no news.
      if (signal.aborted) break;
      const reason = firstLine(messageOf(error));
      if (error instanceof SourceRefused) {
        tell(`given up: ${reason}`);
        return "given up";
      }
      if (!silent) {
        lost = now();
        tell(`does not answer (${reason}); waits for it, for up to ${waitSeconds} s`);
      }
      silent = true;
      if (now() - lost >= waitSeconds * 1000) {
        tell(`given up after ${waitSeconds} s without an answer; the last try: ${reason}`);
        return "given up";
      }
      await sleep(pauseSeconds * 1000, undefined, { signal }).catch(() => undefined);
    }
  }
  return "ended";
}

function firstLine(text: string): string {
  return text.split("\n")[0] ?? "";
}

/** A source that can't be followed, now and later: waiting for it is of no use. */
export class SourceRefused extends Error {
  override readonly name = "SourceRefused";
}

export interface FollowAllOptions extends RetryPolicy {
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

/** Streams by the name they are asked for. */
export type StreamsByName = ReadonlyMap<string, readonly LogStream[]>;

/** Names that were asked for and are none, or what is to be followed. */
export type Choice =
  { readonly streams: readonly LogStream[] } | { readonly unknown: readonly string[] };

/** The streams of these names; all of them where no name is given. */
export function chooseStreams(all: StreamsByName, names: readonly string[]): Choice {
  const unknown = names.filter((name) => !all.has(name));
  if (unknown.length > 0) return { unknown };
  const wanted = names.length === 0 ? [...all.keys()] : names;
  return { streams: [...new Set(wanted.flatMap((name) => all.get(name) ?? []))] };
}

/** All control planes, where something is asked for by name. */
export const controlPlaneName = "control-plane";

/** What the engine says in `up`. */
export const stepsName = "steps";
