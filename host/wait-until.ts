import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "./failure.ts";

export interface WaitOptions {
  /** What is waited for, as in "waited 60 s for <what>". */
  readonly what: string;
  readonly timeoutSeconds: number;
  /** Pause between two looks. Default: 500. */
  readonly pollMilliseconds?: number;
  /** Called whenever a look shows something else than the one before. */
  readonly onChange?: (seen: string) => void;
  /** What may help when it is not there in time; ends the error. */
  readonly hint?: string;
}

/** What one look showed: the thing waited for, or what was seen instead. */
export type Look<T> = string | { readonly found: T };

/**
 * Looks until there is nothing left to wait for, or the thing is there. A look that throws counts as seeing its error.
 *
 * @param look says what it sees while it is not yet so; nothing, or what it has found, when it is.
 * @throws after the time given, with what it waited for and what it saw last.
 */
export async function waitUntil(
  options: WaitOptions,
  look: () => Promise<string | undefined>,
): Promise<void>;
export async function waitUntil<T>(options: WaitOptions, look: () => Promise<Look<T>>): Promise<T>;
export async function waitUntil<T>(
  { what, timeoutSeconds, pollMilliseconds = 500, onChange, hint }: WaitOptions,
  look: () => Promise<Look<T> | undefined>,
): Promise<T | undefined> {
  const deadline = Date.now() + timeoutSeconds * 1000;
  let last = "nothing yet";
  for (;;) {
    const seen = await within(look(), Math.max(deadline - Date.now(), 1000)).catch(messageOf);
    if (typeof seen !== "string") {
      return seen?.found;
    }
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

/** @throws when `work` is not done within `milliseconds`; the work itself is not ended. */
async function within<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  const timer = new AbortController();
  try {
    return await Promise.race([
      work,
      sleep(milliseconds, undefined, { signal: timer.signal }).then(() => {
        throw new Error(`no answer within ${Math.round(milliseconds / 100) / 10} s`);
      }),
    ]);
  } finally {
    timer.abort();
  }
}
