import { StringDecoder } from "node:string_decoder";
import { withoutControls } from "../../../host/without-controls.ts";
import { RedactedLines } from "../../../components/redact.ts";

const longestLine = 64 * 1024;

/** A line of a container's log as the CRI writes it: time, stream, whether the line goes on, text. */
const containerLine = /^\S+ (?:stdout|stderr) ([FP])(?::\S*)? ?(.*)$/s;

export type LogForm = "plain" | "container";

/**
 * Turns a log that arrives in parts into lines without secrets. A line is shown only when it is complete: a secret that is
 * split between two parts would not be recognized.
 */
export class LogLines {
  readonly #form: LogForm;
  readonly #decoder = new StringDecoder("utf8");
  readonly #line = new Pieces();
  /** A container's line, which containerd writes in parts of 16 KiB if it is long. */
  readonly #whole = new Pieces();
  #skipping: boolean;
  readonly #redacted = new RedactedLines();

  /** @param skipFirst whether the first part begins within a line, which is skipped. */
  constructor(form: LogForm, skipFirst = false) {
    this.#form = form;
    this.#skipping = skipFirst;
  }

  /** Adds the next part, and returns the lines that end in it. */
  push(part: Buffer): readonly string[] {
    const pieces = this.#decoder.write(part).split("\n");
    const last = pieces.pop() ?? "";
    const lines = pieces.flatMap((piece) => this.#ended(piece));
    if (!this.#skipping) this.#line.add(last);
    return lines;
  }

  /** Returns an unfinished line at the end. */
  end(): readonly string[] {
    const rest = this.#decoder.end();
    return this.#line.isEmpty && rest === "" ? [] : this.#ended(rest);
  }

  /** Ends the line with its last piece. @returns the line as it is shown, if at all */
  #ended(piece: string): readonly string[] {
    if (this.#skipping) {
      this.#skipping = false;
      return [];
    }
    this.#line.add(piece);
    const line = this.#line.take().replace(/\r$/, "");
    if (this.#form === "plain") return this.#shown(line);
    const [, kind, text = line] = containerLine.exec(line) ?? [];
    this.#whole.add(text);
    return kind === "P" ? [] : this.#shown(this.#whole.take());
  }

  #shown(line: string): readonly string[] {
    return this.#redacted.next(withoutControls(line));
  }
}

/** A line that arrives in pieces, truncated if it is too long. */
class Pieces {
  #text = "";
  #dropped = 0;

  get isEmpty(): boolean {
    return this.#text === "";
  }

  add(piece: string): void {
    const room = longestLine - this.#text.length;
    this.#text += piece.slice(0, room);
    this.#dropped += Math.max(0, piece.length - room);
  }

  take(): string {
    const [text, dropped] = [this.#text, this.#dropped];
    this.#text = "";
    this.#dropped = 0;
    if (dropped === 0) return text;
    // Its last word may be the truncated beginning of a secret.
    const whole = text.replace(/\S*$/, "");
    return `${whole}[${dropped + text.length - whole.length} characters left out]`;
  }
}
