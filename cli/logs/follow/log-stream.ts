import { setTimeout as sleep } from "node:timers/promises";

import { firstLineOf } from "../../../host/failure.ts";

export const controlPlaneName = "control-plane";
export const stepsName = "steps";

interface RetryPolicy {
  /** How long to wait for a source that does not answer. */
  readonly waitSeconds: number;
  readonly pauseSeconds: number;
  readonly signal: AbortSignal;
}

export interface Following extends RetryPolicy {
  readonly tail: number;
  readonly lookSeconds: number;
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
  follow(following: Following): Promise<void>;
}

/**
 * Follows a source; if it is lost, tries again for a bounded time.
 *
 * @param follow follows it until it is lost, which is an error, or ends; calls `alive` whenever it answers.
 */
export async function withRetries(
  { signal, waitSeconds, pauseSeconds }: RetryPolicy,
  tell: (text: string) => void,
  follow: (alive: () => void) => Promise<void>,
): Promise<void> {
  /** When the source was lost; undefined while it answers. */
  let lost: number | undefined;
  const alive = (): void => {
    if (lost !== undefined) tell("answers again");
    lost = undefined;
  };
  while (!signal.aborted) {
    try {
      await follow(alive);
      return;
    } catch (error) {
      // Failures while everything is being stopped are not reported.
      if (signal.aborted) return;
      const reason = firstLineOf(error);
      if (error instanceof SourceRefused) {
        tell(`given up: ${reason}`);
        return;
      }
      if (lost === undefined) {
        lost = performance.now();
        tell(`does not answer (${reason}); waits for it, for up to ${waitSeconds} s`);
      }
      if (performance.now() - lost >= waitSeconds * 1000) {
        tell(`given up after ${waitSeconds} s without an answer; the last try: ${reason}`);
        return;
      }
      await sleep(pauseSeconds * 1000, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** A source that can never be followed, so that waiting is useless. */
export class SourceRefused extends Error {
  override readonly name = "SourceRefused";
}

interface FollowAllOptions extends Omit<Following, "line" | "tell" | "lookSeconds"> {
  readonly streams: readonly LogStream[];
  /** Seconds between two reads of files. Default: 1. */
  readonly lookSeconds?: number;
  readonly out: (line: string) => void;
  readonly say: (line: string) => void;
}

/** Follows all of them in parallel until all have ended; each line has the name of its log as a prefix. */
export async function followAll(options: FollowAllOptions): Promise<void> {
  const { streams, out, say, lookSeconds = 1, ...rest } = options;
  const following: Following = {
    ...rest,
    lookSeconds,
    line: (log, text) => out(`[${log}] ${text}`),
    tell: (log, text) => say(`[${log}] ${text}`),
  };
  await Promise.all(streams.map((stream) => stream.follow(following)));
}

/** The streams of these names on the command line, or the unknown names. Default: all. */
export function chooseStreams(
  all: ReadonlyMap<string, readonly LogStream[]>,
  names: readonly string[],
): { readonly streams: readonly LogStream[] } | { readonly unknown: readonly string[] } {
  const unknown = names.filter((name) => !all.has(name));
  if (unknown.length > 0) return { unknown };
  const wanted = names.length === 0 ? [...all.keys()] : names;
  return { streams: [...new Set(wanted.flatMap((name) => all.get(name) ?? []))] };
}
