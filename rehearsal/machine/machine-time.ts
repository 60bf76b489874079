import { setTimeout as wait } from "node:timers/promises";

/** How time passes on a machine. */
export interface MachineTime {
  /** Milliseconds of a monotonic clock, independent of the machine's clock. */
  elapsed(): number;
  /** Runs work during which virtual time stands still, except while it sleeps. */
  busy<T>(work: () => Promise<T>): Promise<T>;
  /** Waits, within `busy` work, until the time has passed or `end` is aborted. */
  sleep(milliseconds: number, end?: AbortSignal): Promise<void>;
}

/** The longest delay of Node.js' timers, in milliseconds. */
const longest = 2 ** 31 - 1;

export const realTime: MachineTime = {
  elapsed: () => performance.now(),
  busy: (work) => work(),
  async sleep(milliseconds, end) {
    const time = Math.min(milliseconds, longest);
    await wait(time, undefined, { ...(end && { signal: end }) }).catch(() => undefined);
  },
};
