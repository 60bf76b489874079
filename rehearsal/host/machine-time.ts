import { setTimeout as wait } from "node:timers/promises";

/** How time passes on a machine. */
export interface MachineTime {
  /** Milliseconds since some moment, whatever the machine's clock is set to. */
  elapsed(): number;
  /** Runs what takes the time it takes: no wait of the machine ends meanwhile but those in it. */
  busy<T>(work: () => Promise<T>): Promise<T>;
  /** Waits within something busy, until then or until it is aborted. */
  sleep(milliseconds: number, end?: AbortSignal): Promise<void>;
}

/** Node.js' timers know no longer wait. */
const longest = 2 ** 31 - 1;

export const realTime: MachineTime = {
  elapsed: () => performance.now(),
  busy: (work) => work(),
  async sleep(milliseconds, end) {
    const time = Math.min(milliseconds, longest);
    await wait(time, undefined, { ...(end && { signal: end }) }).catch(() => undefined);
  },
};

/**
 * Time that passes only where everything on the machine waits for it, and then at once: a limit of minutes is reached as
 * fast, and as surely, on a slow host as on an idle one.
 */
export class VirtualTime implements MachineTime {
  #elapsed = 0;
  /** What is under way and does not sleep. */
  #busy = 0;
  readonly #sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();

  elapsed(): number {
    return this.#elapsed;
  }

  async busy<T>(work: () => Promise<T>): Promise<T> {
    this.#busy += 1;
    try {
      return await work();
    } finally {
      this.#rest();
    }
  }

  async sleep(milliseconds: number, end?: AbortSignal): Promise<void> {
    if (end?.aborted) return;
    if (this.#busy === 0) throw new Error("a wait is not part of anything busy");
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        if (!this.#sleepers.delete(sleeper)) return;
        end?.removeEventListener("abort", wake);
        this.#busy += 1;
        resolve();
      };
      const sleeper = { until: this.#elapsed + milliseconds, wake };
      this.#sleepers.add(sleeper);
      end?.addEventListener("abort", wake);
      this.#rest();
    });
  }

  #rest(): void {
    this.#busy -= 1;
    // Whoever goes on by what has just ended does so before.
    if (this.#busy === 0) setImmediate(() => this.#pass());
  }

  #pass(): void {
    if (this.#busy > 0) return;
    const [next] = [...this.#sleepers].sort((one, other) => one.until - other.until);
    if (next === undefined || next.until === Infinity) return;
    this.#elapsed = Math.max(this.#elapsed, next.until);
    next.wake();
  }
}
