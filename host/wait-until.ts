import { setTimeout as sleep } from "node:timers/promises";
import { bounded } from "./bounded.ts";
import { messageOf } from "./failure.ts";

export interface WaitOptions {
  /** What is waited for, as in "waited 60 s for <what>". */
  readonly what: string;
  readonly timeoutSeconds: number;
  /** Pause between two attempts, in milliseconds. Default: 500. */
  readonly pollMilliseconds?: number;
  readonly onChange?: (seen: string) => void;
  readonly hint?: string;
  /** Ends the wait before its time, with an error. */
  readonly signal?: AbortSignal;
}

/** Result of one attempt: what is waited for, or what was observed instead. */
export type Look<T> = string | { readonly found: T };

/**
 * Polls until the condition is met. An error of `look` counts as its observation.
 *
 * @param look returns what it observes until the condition is met; then nothing, or a result.
 * @throws after the time limit, with what it waited for and the last observation.
 */
export async function waitUntil(
  options: WaitOptions,
  look: () => Promise<string | undefined>,
): Promise<void>;
export async function waitUntil<T>(options: WaitOptions, look: () => Promise<Look<T>>): Promise<T>;
export async function waitUntil<T>(
  { what, timeoutSeconds, pollMilliseconds = 500, onChange, hint, signal }: WaitOptions,
  look: () => Promise<Look<T> | undefined>,
): Promise<T | undefined> {
  const deadline = Date.now() + timeoutSeconds * 1000;
  let last = "nothing yet";
  for (;;) {
    signal?.throwIfAborted();
    const seen = await bounded(look(), Math.max(secondsTo(deadline), 1)).catch(messageOf);
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
