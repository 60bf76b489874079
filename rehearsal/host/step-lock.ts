/** The scripts' mutex: one step at a time per machine, also when the session of the one before is gone. */
export class StepLock {
  #last: Promise<void> = Promise.resolve();

  /** Waits until no step runs and none waits to run. */
  async idle(): Promise<void> {
    await this.#last;
  }

  /**
   * Runs `work` when all that came before has ended.
   * After `milliseconds` of waiting it gives up with the error `onTimeout` makes, and `work` never runs.
   */
  async run<T>(milliseconds: number, onTimeout: () => Error, work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    let leave = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      leave = resolve;
    });
    this.#last = before.then(() => ended);
    try {
      await bounded(before, milliseconds, onTimeout);
      return await work();
    } finally {
      leave();
    }
  }
}

async function bounded(
  wait: Promise<void>,
  milliseconds: number,
  onTimeout: () => Error,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(onTimeout()), milliseconds);
  });
  try {
    await Promise.race([wait, limit]);
  } finally {
    clearTimeout(timer);
  }
}
