/** One measured figure. */
export interface Figure {
  readonly what: string;
  readonly seconds: number;
}

/** A measured time over what it is compared with; both of the same run, for machines differ. */
export interface Ratio {
  readonly what: string;
  readonly measured: number;
  readonly base: number;
  /** What the project aims at; printed beside the figure, never a verdict. */
  readonly aim: string;
}

/** Prints a figure as soon as it is known. */
export function printFigure({ what, seconds }: Figure): void {
  process.stdout.write(`${seconds.toFixed(1).padStart(8)} s  ${what}\n`);
}

/** Prints the ratios, the result of a benchmark. */
export function printRatios(ratios: readonly Ratio[]): void {
  process.stdout.write("\n");
  for (const { what, measured, base, aim } of ratios) {
    const ratio = (measured / base).toFixed(2);
    process.stdout.write(
      `${ratio.padStart(8)}    ${what}: ${measured.toFixed(1)} s / ${base.toFixed(1)} s (aim: ${aim})\n`,
    );
  }
}

/** Runs something and prints how long it took. */
export async function timed(what: string, work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  const seconds = (performance.now() - started) / 1000;
  printFigure({ what, seconds });
  return seconds;
}

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
  if (middle === undefined) throw new Error("there is no median of nothing");
  return middle;
}
