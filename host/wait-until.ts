import { setTimeout as sleep } from "node:timers/promises";
import { bounded } from "./bounded.ts";
import { messageOf } from "./failure.ts";

export interface WaitOptions {
  /** The condition, as in "waited 60 s for <what>". */
  readonly what: string;
  readonly timeoutSeconds: number;
  /** Pause between two attempts, in milliseconds. Default: 500. */
  readonly pollMilliseconds?: number;
  readonly onChange?: (seen: string) => void;
  readonly hint?: string;
  /** Aborts the wait with an error. */
  readonly signal?: AbortSignal;
}

/** Result of one attempt: the awaited value, or a description of the current state. */
export type Look<T> = string | { readonly found: T };

/**
 * Polls until a condition is met. An error of `check` counts as a description of the current state.
 *
 * @param check returns a description of the current state until the condition is met, and then nothing or a result.
 * @throws after the time limit, with the condition and the last state.
 */
export async function waitUntil(
  options: WaitOptions,
  check: () => Promise<string | undefined>,
): Promise<void>;
export async function waitUntil<T>(options: WaitOptions, check: () => Promise<Look<T>>): Promise<T>;
export async function waitUntil<T>(
  { what, timeoutSeconds, pollMilliseconds = 500, onChange, hint, signal }: WaitOptions,
  check: () => Promise<Look<T> | undefined>,
): Promise<T | undefined> {
  const deadline = Date.now() + timeoutSeconds * 1000;
  let last = "nothing yet";
  for (;;) {
    signal?.throwIfAborted();
    const seen = await bounded(check(), Math.max(secondsTo(deadline), 1)).catch(messageOf);
    if (typeof seen !== "string") return seen?.found;
    if (seen !== last) {
      onChange?.(seen);
      last = seen;
    }
    if (Date.now() >= deadline) {
      const help = hint === undefined ? "" : ` (${hint})`;
      throw new Error(`waited ${timeoutSeconds} s for ${what}; last seen: ${last}${help}`);
    }
    await sleep(pollMilliseconds);
  }
}

function secondsTo(time: number): number {
  return Math.round((time - Date.now()) / 100) / 10;
}
