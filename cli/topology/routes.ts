import type { Point } from "./layered.ts";
import type { Place } from "./shapes.ts";

/** A row of boxes: from the top of its highest to the bottom of its lowest. */
interface Band {
  readonly top: number;
  readonly bottom: number;
}

/** Distance of an arrow's end from a box's corner. */
const corner = 16;
/** Length of an arrow's tip and a bit: it points straight down. */
const tip = 14;

/** The rows that boxes stand in: those of one row have their middles at one height. */
export function bandsOf(places: readonly Place[]): readonly Band[] {
  const rows = new Map<number, Band>();
  for (const { y, height } of places) {
    const middle = Math.round(y + height / 2);
    const band = rows.get(middle) ?? { top: y, bottom: y + height };
    rows.set(middle, {
      top: Math.min(band.top, y),
      bottom: Math.max(band.bottom, y + height),
    });
  }
  return [...rows.values()].sort((a, b) => a.top - b.top);
}

/**
 * The way from one box to another below it: straight down within a row, so that it passes no box of another height, and
 * slanting only between rows.
 *
 * @param between where the layout lets it pass.
 * @returns an SVG path.
 */
export function route(
  from: Place,
  to: Place,
  between: readonly Point[],
  bands: readonly Band[],
): string {
  const bandAt = (y: number): Band | undefined =>
    bands.find(({ top, bottom }) => y >= top && y <= bottom);
  const home = bandAt(from.y);
  const goal = bandAt(to.y);
  const inner = between.slice(1, -1);
  const startX = within(from, inner[0]?.x ?? from.x + from.width / 2);
  const endX = within(to, inner.at(-1)?.x ?? to.x + to.width / 2);
  const points: Point[] = [
    { x: startX, y: from.y + from.height },
    { x: startX, y: home?.bottom ?? from.y + from.height },
  ];
  for (const { x, y } of inner) {
    const band = bandAt(y);
    if (band === undefined || band === home || band === goal) continue;
    points.push({ x, y: band.top }, { x, y: band.bottom });
  }
  points.push({ x: endX, y: (goal?.top ?? to.y) - tip }, { x: endX, y: to.y - 1 });
  return `M${points.map(({ x, y }) => `${Math.round(x)} ${Math.round(y)}`).join(" L")}`;
}

function within({ x, width }: Place, wanted: number): number {
  return Math.min(Math.max(wanted, x + corner), x + width - corner);
}
