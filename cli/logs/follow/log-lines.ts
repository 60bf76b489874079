import { ContainerLines } from "./container-lines.ts";
import { LineRedactor } from "./line-redactor.ts";
import { RawLines } from "./raw-lines.ts";

/** How a log is written: line by line, or as the CRI writes those of containers. */
export type LogForm = "plain" | "container";

/** A log that comes in parts, as lines without secrets. */
export class LogLines {
  readonly #raw: RawLines;
  readonly #container: ContainerLines | undefined;
  readonly #redactor = new LineRedactor();

  /** @param skipFirst the first part begins within a line, which is left out. */
  constructor(form: LogForm, skipFirst = false) {
    this.#raw = new RawLines(skipFirst);
    this.#container = form === "container" ? new ContainerLines() : undefined;
  }

  /** Takes in the next part, and returns the lines that end in it. */
  push(part: Buffer): readonly string[] {
    return this.#shown(this.#raw.push(part));
  }

  /** Nothing more comes: returns a line without an end. */
  end(): readonly string[] {
    return this.#shown(this.#raw.end());
  }

  #shown(lines: readonly string[]): readonly string[] {
    return lines.flatMap((line) => {
      const whole = this.#container === undefined ? line : this.#container.read(line);
      return whole === undefined ? [] : (this.#redactor.read(whole) ?? []);
    });
  }
}
