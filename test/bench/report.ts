/** A measured time over the time it is compared with, both from the same run, because machines differ. */
export interface Ratio {
  readonly what: string;
  readonly measured: number;
  readonly base: number;
  /** The project's target, printed beside the ratio; missing it is not a failure. */
  readonly aim: string;
}

export function printFigure(what: string, seconds: number): void {
  process.stdout.write(`${seconds.toFixed(1).padStart(8)} s  ${what}\n`);
}

export function printRatios(ratios: readonly Ratio[]): void {
  process.stdout.write("\n");
  for (const { what, measured, base, aim } of ratios) {
    const ratio = (measured / base).toFixed(2);
    process.stdout.write(
      `${ratio.padStart(8)}    ${what}: ${measured.toFixed(1)} s / ${base.toFixed(1)} s (aim: ${aim})\n`,
    );
  }
}

export async function timed(what: string, work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  const seconds = (performance.now() - started) / 1000;
  printFigure(what, seconds);
  return seconds;
}

/** Measurements of each; odd, so that one is the median. */
const rounds = 5;

interface Measurable {
  readonly what: string;
  readonly seconds: () => Promise<number>;
}

/** Prints medians of two times, measured alternately, so that other load on the machine affects both. */
export async function inTurn(
  one: Measurable,
  other: Measurable,
): Promise<Pick<Ratio, "measured" | "base">> {
  const [ones, others]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    ones.push(await one.seconds());
    others.push(await other.seconds());
  }
  const median = (values: readonly number[]): number =>
    values.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
  const [measured, base] = [median(ones), median(others)];
  printFigure(`${one.what}, median of ${rounds}`, measured);
  printFigure(`${other.what}, median of ${rounds}`, base);
  return { measured, base };
}
