import { StringDecoder } from "node:string_decoder";

/** Characters of the longest line that is shown whole. */
export const longestLine = 64 * 1024;

/**
 * Cuts a log that comes in parts into lines. A line is given out only when its end is there: a secret that two parts
 * share would be recognized in neither.
 */
export class RawLines {
  readonly #decoder = new StringDecoder("utf8");
  #rest = "";
  /** Characters of a line that is too long which were dropped. */
  #dropped = 0;
  #skipping: boolean;

  /** @param skipFirst the first part begins within a line, which is left out. */
  constructor(skipFirst = false) {
    this.#skipping = skipFirst;
  }

  /** Takes in the next part, and returns the lines that end in it. */
  push(part: Buffer): readonly string[] {
    const pieces = this.#decoder.write(part).split("\n");
    const last = pieces.pop() ?? "";
    const lines = pieces.flatMap((piece) => {
      this.#add(piece);
      return this.#take();
    });
    this.#add(last);
    return lines;
  }

  /** Nothing more comes: returns a line without an end. */
  end(): readonly string[] {
    this.#add(this.#decoder.end());
    return this.#rest === "" ? [] : this.#take();
  }

  #add(piece: string): void {
    if (this.#skipping) return;
    const room = longestLine - this.#rest.length;
    this.#rest += piece.slice(0, room);
    this.#dropped += Math.max(0, piece.length - room);
  }

  #take(): readonly string[] {
    const line = this.#rest;
    const dropped = this.#dropped;
    const skipped = this.#skipping;
    this.#rest = "";
    this.#dropped = 0;
    this.#skipping = false;
    if (skipped) return [];
    if (dropped === 0) return [line.replace(/\r$/, "")];
    // Its last word may be the beginning of a secret.
    const whole = line.replace(/\S*$/, "");
    return [`${whole}[${dropped + line.length - whole.length} characters left out]`];
  }
}
