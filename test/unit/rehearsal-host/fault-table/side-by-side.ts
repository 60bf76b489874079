/** Does something with each item, so many at a time; begins with no further one once it is asked to end. */
export async function sideBySide<T>(
  items: readonly T[],
  atOnce: number,
  end: AbortSignal | undefined,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const worker = async (): Promise<void> => {
    for (const item of waiting) {
      if (end?.aborted === true) return;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
