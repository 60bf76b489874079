import type { NamedMutexes } from "../windows/mutexes.ts";

const name = "Global\\kindows-step";

/** The scripts' mutex: one step at a time per machine, also when the session of the one before is gone. */
export class StepLock {
  readonly #mutexes: NamedMutexes;

  constructor(mutexes: NamedMutexes) {
    this.#mutexes = mutexes;
  }

  /** Waits until no step runs and none waits to run. */
  async idle(): Promise<void> {
    await this.#mutexes.idle();
  }

  /**
   * Runs `work` when all that came before has ended.
   * After `milliseconds` of waiting it gives up with the error `onTimeout` makes, and `work` never runs.
   */
  async run<T>(milliseconds: number, onTimeout: () => Error, work: () => Promise<T>): Promise<T> {
    if ((await this.#mutexes.enter(name, milliseconds)) === "busy") throw onTimeout();
    try {
      return await work();
    } finally {
      this.#mutexes.leave(name);
    }
  }
}
