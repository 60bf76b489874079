/** Whether something is cut off at all of its places or, in a fraction of the time, at some of them. */
export type Extent = "sample" | "whole";

/**
 * In a sample, how far the places lie apart. At its 32nd change Install-Flannel is left with half of what it compiles: no
 * other test has it cleared away.
 */
export const every = 16;

/** Numbers of the places that are played, of so many: in a sample the first, the last, and some between them. */
export function playedPlaces(count: number, extent: Extent): number[] {
  const all = Array.from({ length: count }, (_, index) => index + 1);
  return extent === "whole"
    ? all
    : all.filter((place) => [1, count].includes(place) || place % every === 0);
}

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
