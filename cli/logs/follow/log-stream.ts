import { setTimeout as sleep } from "node:timers/promises";

import { messageOf } from "../../../host/failure.ts";

/** Options and callbacks for following a source. */
export interface Following extends RetryPolicy {
  readonly tail: number;
  /** Seconds between two reads of files. */
  readonly lookSeconds: number;
  readonly signal: AbortSignal;
  /** Gets a line without secrets, and the name of its log. */
  readonly line: (log: string, text: string) => void;
  /** Gets messages about a source or one of its logs. */
  readonly tell: (log: string, text: string) => void;
}

/** Something whose logs can be followed: a node, a control plane, the steps of `up`. */
export interface LogStream {
  /** Its name on the command line, e.g. `win-1`. */
  readonly name: string;
  /** Follows it until it is stopped, or the source is given up. Never fails. */
  follow(following: Following): Promise<Ending>;
}

/** How long to wait for a source that does not answer. */
export interface RetryPolicy {
  readonly waitSeconds: number;
  readonly pauseSeconds: number;
}

interface RetryOptions extends RetryPolicy, Pick<Following, "signal"> {
  /**
   * Follows the source until it is lost, which is an error, or ends.
   *
   * @param alive to be called whenever the source answers.
   */
  readonly follow: (alive: () => void) => Promise<void>;
  readonly tell: (text: string) => void;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

/** Why following ended. */
export type Ending = "ended" | "given up";

/** Follows a source; if it is lost, tries again for a bounded time. */
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
      // Failures while everything is being stopped are not reported.
      if (signal.aborted) break;
      const [reason = ""] = messageOf(error).split("\n");
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

/** A source that can never be followed, so that waiting is useless. */
export class SourceRefused extends Error {
  override readonly name = "SourceRefused";
}

interface FollowAllOptions extends Omit<Following, "line" | "tell" | "lookSeconds"> {
  readonly streams: readonly LogStream[];
  /** Seconds between two reads of files. Default: 1. */
  readonly lookSeconds?: number;
  /** Prints a line of a log: standard output. */
  readonly out: (line: string) => void;
  /** Prints a message: standard error. */
  readonly say: (line: string) => void;
}

/** Follows all of them in parallel until all have ended; each line has the name of its log as a prefix. */
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

/** The streams to follow, or the unknown names. */
export type Choice =
  { readonly streams: readonly LogStream[] } | { readonly unknown: readonly string[] };

/** The streams of these names on the command line. Default: all. */
export function chooseStreams(
  all: ReadonlyMap<string, readonly LogStream[]>,
  names: readonly string[],
): Choice {
  const unknown = names.filter((name) => !all.has(name));
  if (unknown.length > 0) return { unknown };
  const wanted = names.length === 0 ? [...all.keys()] : names;
  return { streams: [...new Set(wanted.flatMap((name) => all.get(name) ?? []))] };
}

export const controlPlaneName = "control-plane";

export const stepsName = "steps";
