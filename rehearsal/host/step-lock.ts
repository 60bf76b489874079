/** The scripts' mutex: one step at a time per machine, also when the session of the one before is gone. */
export class StepLock {
  #last: Promise<void> = Promise.resolve();

  /**
   * Runs `work` when all that came before has ended.
   * After `timeoutSeconds` of waiting it gives up with the error `onTimeout` makes, and `work` never runs.
   */
  async run<T>(timeoutSeconds: number, onTimeout: () => Error, work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    let leave = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      leave = resolve;
    });
    this.#last = before.then(() => ended);
    try {
      await bounded(before, timeoutSeconds, onTimeout);
      return await work();
    } finally {
      leave();
    }
  }
}

async function bounded(
  wait: Promise<void>,
  timeoutSeconds: number,
  onTimeout: () => Error,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(onTimeout()), timeoutSeconds * 1000);
  });
  try {
    await Promise.race([wait, limit]);
  } finally {
    clearTimeout(timer);
  }
}
