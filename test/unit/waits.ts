import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

type Wait = (milliseconds: number, ...rest: [unknown?, object?]) => Promise<unknown>;

const sleep = timers.setTimeout;

/** Replaces the waits of this process; without an argument, restores them. */
export function waitBy(wait: Wait = sleep): void {
  timers.setTimeout = wait as typeof sleep;
  syncBuiltinESMExports();
}

/** Skips pauses of a second or more. A wait with an abort signal is not a pause. */
export function withoutPauses(): void {
  waitBy((milliseconds, value, options) =>
    sleep(options === undefined && milliseconds >= 1000 ? 0 : milliseconds, value, options),
  );
}
