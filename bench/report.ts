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
