import type { MachineTime } from "../../rehearsal/machine/machine-time.ts";

/**
 * Time that only passes while everything on the machine sleeps, and then jumps to the next wake-up. A limit of minutes is
 * therefore reached at once, and never because the host is slow.
 */
export class VirtualTime implements MachineTime {
  #elapsed = 0;
  /** Number of `busy` calls that do not sleep. */
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
    if (this.#busy === 0) throw new Error("sleep was called outside of busy");
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
    // First lets code continue that awaited the work which has just ended.
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
