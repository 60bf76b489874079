/** Work did not end in its time. */
export class NoAnswer extends Error {
  constructor(seconds: number) {
    super(`no answer within ${seconds} s`);
  }
}

/**
 * Waits for `work`, but rejects when the time is over or the signal aborts. The work itself goes on.
 *
 * @param seconds time limit; 0 for none.
 * @throws NoAnswer after the time limit.
 */
export function bounded<T>(work: Promise<T>, seconds: number, signal?: AbortSignal): Promise<T> {
  let end = (): void => undefined;
  const over = new Promise<never>((_resolve, reject) => {
    const abort = (): void => reject(signal?.reason as Error);
    const late = (): void => reject(new NoAnswer(seconds));
    const timer = seconds > 0 ? setTimeout(late, seconds * 1000) : undefined;
    signal?.addEventListener("abort", abort);
    if (signal?.aborted) abort();
    end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
  });
  return Promise.race([work, over]).finally(end);
}
