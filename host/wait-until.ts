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

/** An error that no further attempt can change, e.g. a refusal by the API server. */
interface FinalError extends Error {
  readonly isFinal: boolean;
}

/**
 * How long an error has to stay final before it ends a wait, in seconds: a server that has just started refuses for a
 * moment what it grants later, e.g. before it has read its roles.
 */
const finalAfterSeconds = 5;

/**
 * Polls until a condition is met. An error of `check` counts as a description of the current state, unless it is a
 * `FinalError`: then the wait ends early.
 *
 * @param check returns a description of the current state until the condition is met, and then nothing or a result.
 * @throws after the time limit, with the condition and the last state, or once an error has stayed final.
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
  const help = hint === undefined ? "" : ` (${hint})`;
  let last = "nothing yet";
  let refusedSince: number | undefined;
  for (;;) {
    signal?.throwIfAborted();
    let refused = false;
    const seen = await bounded(check(), Math.max(secondsTo(deadline), 1)).catch(
      (error: unknown) => {
        refused = isFinal(error);
        return messageOf(error);
      },
    );
    if (typeof seen !== "string") return seen?.found;
    refusedSince = refused ? (refusedSince ?? Date.now()) : undefined;
    if (refusedSince !== undefined && Date.now() - refusedSince >= finalAfterSeconds * 1000) {
      throw new Error(`${what}: ${seen}${help}`);
    }
    if (seen !== last) {
      onChange?.(seen);
      last = seen;
    }
    if (Date.now() >= deadline) {
      throw new Error(`waited ${timeoutSeconds} s for ${what}; last seen: ${last}${help}`);
    }
    await sleep(pollMilliseconds);
  }
}

function isFinal(error: unknown): boolean {
  return error instanceof Error && (error as Partial<FinalError>).isFinal === true;
}

function secondsTo(time: number): number {
  return Math.round((time - Date.now()) / 100) / 10;
}
