import { withoutControls } from "../host/without-controls.ts";

/** One line about what the command does, on standard error: standard output is for results. */
export function say(line: string): void {
  process.stderr.write(`${withoutControls(line)}\n`);
}

/** A result with texts of guests, pods or a cluster in it, on standard output. */
export function print(text: string): void {
  process.stdout.write(`${withoutControls(text)}\n`);
}
