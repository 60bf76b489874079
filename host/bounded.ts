/**
 * The outcome of `work`, unless the time is over or the signal aborts before it has one; the work itself goes on.
 *
 * @param seconds 0: no limit.
 */
export function bounded<T>(work: Promise<T>, seconds: number, signal?: AbortSignal): Promise<T> {
  let end = (): void => undefined;
  const over = new Promise<never>((_resolve, reject) => {
    const abort = (): void => reject(signal?.reason as Error);
    const late = (): void => reject(new Error(`no answer within ${seconds} s`));
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
