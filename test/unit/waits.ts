import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

type Wait = (milliseconds: number, ...rest: [unknown?, object?]) => Promise<unknown>;

const sleep = timers.setTimeout;

/** Has every wait of this process be another one, or, by default, what it was. */
export function waitBy(wait: Wait = sleep): void {
  timers.setTimeout = wait as typeof sleep;
  syncBuiltinESMExports();
}

/** Makes the pauses of at least a second none; a wait that can be ended from outside is no pause. */
export function withoutPauses(): void {
  waitBy((milliseconds, value, options) =>
    sleep(options === undefined && milliseconds >= 1000 ? 0 : milliseconds, value, options),
  );
}
