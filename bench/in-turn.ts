import { printFigure } from "./report.ts";
import type { Ratio } from "./report.ts";

/** Measurements of each; an odd number, so that there is a middle one. */
const rounds = 5;

/** Something that takes some seconds, and tells how many. */
interface Measurable {
  readonly what: string;
  readonly seconds: () => Promise<number>;
}

/** Medians of two things that are measured in turn, so that what else the machine does hits both; prints them. */
export async function inTurn(
  one: Measurable,
  other: Measurable,
): Promise<Pick<Ratio, "measured" | "base">> {
  const seconds = { one: [] as number[], other: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    seconds.one.push(await one.seconds());
    seconds.other.push(await other.seconds());
  }
  const [measured, base] = [median(seconds.one), median(seconds.other)];
  printFigure({ what: `${one.what}, median of ${rounds}`, seconds: measured });
  printFigure({ what: `${other.what}, median of ${rounds}`, seconds: base });
  return { measured, base };
}

/** The middle one of an odd number of measurements. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) {
    throw new Error("there is no median of nothing");
  }
  return middle;
}
