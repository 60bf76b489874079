import { setTimeout as sleep } from "node:timers/promises";

/** What one look showed: the thing waited for, or what was seen instead. */
export type Look<T> = { readonly found: T } | { readonly seen: string };

export interface WaitOptions {
  /** What is waited for, as in "waited 60 s for <what>". */
  readonly what: string;
  /** Longest wait in seconds. */
  readonly timeoutSeconds: number;
  /** Pause between two looks, in seconds. Default: 0.5. */
  readonly pauseSeconds?: number;
  /** Called whenever a look shows something else than the one before. */
  readonly onChange?: (seen: string) => void;
  /** What may help when it is not there in time; ends the error. */
  readonly hint?: string;
}

/**
 * Looks until the thing is there. A look that throws counts as seeing its error.
 *
 * @throws when it is not there in time, saying what was waited for and what was last seen.
 */
export async function waitFor<T>(options: WaitOptions, look: () => Promise<Look<T>>): Promise<T> {
  const deadline = Date.now() + options.timeoutSeconds * 1000;
  let last = "nothing yet";
  for (;;) {
    const result = await within(look(), Math.max(deadline - Date.now(), 1000)).catch(
      (error: unknown): Look<T> => ({
        seen: error instanceof Error ? error.message : String(error),
      }),
    );
    if ("found" in result) {
      return result.found;
    }
    if (result.seen !== last) {
      options.onChange?.(result.seen);
      last = result.seen;
    }
    if (Date.now() >= deadline) {
      const hint = options.hint === undefined ? "" : ` (${options.hint})`;
      throw new Error(
        `waited ${options.timeoutSeconds} s for ${options.what}; last seen: ${last}${hint}`,
      );
    }
    await sleep((options.pauseSeconds ?? 0.5) * 1000);
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
