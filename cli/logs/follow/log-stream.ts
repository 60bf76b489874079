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

interface Following extends RetryPolicy {
  readonly tail: number;
  readonly pollSeconds: number;
  /** Receives a line without secrets, and the name of its log. */
  readonly line: (log: string, text: string) => void;
  /** Receives messages about a source or one of its logs. */
  readonly note: (log: string, text: string) => void;
}

/** Something whose logs can be followed: a node, a control plane, the steps of `up`. */
export interface LogStream {
  /** Its name on the command line, e.g. `win-1`. */
  readonly name: string;
  /** Follows the source until stopped, or until it gives the source up. Never fails. */
  follow(following: Following): Promise<void>;
}

/**
 * Follows a source; if it is lost, tries again for a bounded time.
 *
 * @param follow follows the source to its end, or throws when the source is lost; calls `alive` whenever it answers.
 */
export async function withRetries(
  { signal, waitSeconds, pauseSeconds }: RetryPolicy,
  note: (text: string) => void,
  follow: (alive: () => void) => Promise<void>,
): Promise<void> {
  /** When the source was lost; undefined while it answers. */
  let lost: number | undefined;
  const alive = (): void => {
    if (lost !== undefined) note("answers again");
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
        note(`given up: ${reason}`);
        return;
      }
      if (lost === undefined) {
        lost = performance.now();
        note(`does not answer (${reason}); waiting for up to ${waitSeconds} s`);
      }
      if (performance.now() - lost >= waitSeconds * 1000) {
        note(`given up after ${waitSeconds} s without an answer; last error: ${reason}`);
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

interface FollowAllOptions extends Omit<Following, "line" | "note" | "pollSeconds"> {
  readonly streams: readonly LogStream[];
  /** Seconds between two reads of files. Default: 1. */
  readonly pollSeconds?: number;
  readonly out: (line: string) => void;
  readonly say: (line: string) => void;
}

/** Follows all streams in parallel until they have ended; each line is prefixed with the name of its log. */
export async function followAll(options: FollowAllOptions): Promise<void> {
  const { streams, out, say, pollSeconds = 1, ...rest } = options;
  const following: Following = {
    ...rest,
    pollSeconds,
    line: (log, text) => out(`[${log}] ${text}`),
    note: (log, text) => say(`[${log}] ${text}`),
  };
  await Promise.all(streams.map((stream) => stream.follow(following)));
}

/** The streams that the command line names (default: all), or the unknown names. */
export function chooseStreams(
  all: ReadonlyMap<string, readonly LogStream[]>,
  names: readonly string[],
): { readonly streams: readonly LogStream[] } | { readonly unknown: readonly string[] } {
  const unknown = names.filter((name) => !all.has(name));
  if (unknown.length > 0) return { unknown };
  const wanted = names.length === 0 ? [...all.keys()] : names;
  return { streams: [...new Set(wanted.flatMap((name) => all.get(name) ?? []))] };
}
