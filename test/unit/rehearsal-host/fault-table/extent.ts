/** Whether something is cut off at all of its places or, in a fraction of the time, at some of them. */
export type Extent = "sample" | "whole";

/** In a sample, how far the places lie apart. */
export const every = 12;

/** Numbers of the places that are played, of so many: in a sample the first, the last, and some between them. */
export function playedPlaces(count: number, extent: Extent): number[] {
  const all = Array.from({ length: count }, (_, index) => index + 1);
  return extent === "whole" ? all : all.filter((place) => place % every === 1 || place === count);
}
