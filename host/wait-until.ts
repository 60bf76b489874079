import { setTimeout as sleep } from "node:timers/promises";

export interface WaitOptions {
  /** What is waited for, as in "the Docker daemon to answer". */
  readonly what: string;
  readonly timeoutSeconds: number;
  readonly pollMilliseconds: number;
}

/**
 * Looks until there is nothing left to wait for.
 *
 * @param look says what it sees while it is not yet so, and nothing when it is.
 * @throws after the time given, with what it waited for and what it saw last.
 */
export async function waitUntil(
  options: WaitOptions,
  look: () => Promise<string | undefined>,
): Promise<void> {
  const end = Date.now() + options.timeoutSeconds * 1000;
  for (;;) {
    const seen = await look();
    if (seen === undefined) {
      return;
    }
    if (Date.now() > end) {
      throw new Error(`waited ${options.timeoutSeconds} s for ${options.what}; last seen: ${seen}`);
    }
    await sleep(options.pollMilliseconds);
  }
}
