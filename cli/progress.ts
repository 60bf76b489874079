import { withoutControls } from "../host/without-controls.ts";

type PrintLine = (line: string) => void;

let above: PrintLine | undefined;

/** Has lines printed above what is at the bottom of the terminal; undefined: as usual. */
export function printAbove(print: PrintLine | undefined): void {
  above = print;
}

/** How lines are printed above what is at the bottom of the terminal; undefined if nothing is. */
export function printingAbove(): PrintLine | undefined {
  return above;
}

/** One line about what the command does, on standard error: standard output is for results. */
export function say(line: string): void {
  const text = withoutControls(line);
  if (above === undefined) process.stderr.write(`${text}\n`);
  else above(text);
}

/** A result with texts of guests, pods or a cluster in it, on standard output. */
export function print(text: string): void {
  process.stdout.write(`${withoutControls(text)}\n`);
}
