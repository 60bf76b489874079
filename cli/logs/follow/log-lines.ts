import { StringDecoder } from "node:string_decoder";
import { stripVTControlCharacters } from "node:util";
import { redactLog } from "../../engine/redact.ts";

export const longestLine = 64 * 1024;

const keyBegins = /-----BEGIN [A-Z ]*PRIVATE KEY-----(?![\s\S]*-----END)/;
const keyEnds = /^.*?-----END [A-Z ]*PRIVATE KEY-----/;
/** A line within a private key; old ones begin with headers. */
const keyGoesOn = /^\s*(?:[A-Za-z0-9+/=]*|Proc-Type: .*|DEK-Info: .*)\s*$/;
const longestKey = 200;

/** A line of a container's log as the CRI writes it: time, stream, whether the line goes on, text. */
const containerLine = /^\S+ (?:stdout|stderr) ([FP])(?::\S*)? ?(.*)$/s;

export type LogForm = "plain" | "container";

/** Turns a log that arrives in parts into lines without secrets. */
export class LogLines {
  readonly #raw: RawLines;
  readonly #form: LogForm;
  readonly #parts = new Pieces();
  readonly #redactor = new LineRedactor();

  /** @param skipFirst whether the first part begins within a line, which is skipped. */
  constructor(form: LogForm, skipFirst = false) {
    this.#raw = new RawLines(skipFirst);
    this.#form = form;
  }

  /** Adds the next part, and returns the lines that end in it. */
  push(part: Buffer): readonly string[] {
    return this.#shown(this.#raw.push(part));
  }

  /** Returns an unfinished line at the end. */
  end(): readonly string[] {
    return this.#shown(this.#raw.end());
  }

  #shown(lines: readonly string[]): readonly string[] {
    return lines.flatMap((line) => {
      const whole = this.#form === "plain" ? line : this.#ofContainer(line);
      return whole === undefined ? [] : (this.#redactor.read(whole) ?? []);
    });
  }

  /**
   * The text of a container's line; undefined while that is incomplete: containerd writes long lines in parts of 16 KiB,
   * which are joined again, as a secret may be split.
   */
  #ofContainer(line: string): string | undefined {
    const [, kind, text = line] = containerLine.exec(line) ?? [];
    this.#parts.add(text);
    return kind === "P" ? undefined : this.#parts.take();
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

/** Removes secrets from lines that arrive one by one, including secrets of several lines. */
class LineRedactor {
  /** Lines of a private key so far; undefined outside of one. */
  #keyLines: number | undefined;

  /** @returns the redacted line; undefined if all of it is secret. */
  read(line: string): string | undefined {
    let text = stripVTControlCharacters(line);
    if (this.#keyLines !== undefined) {
      this.#keyLines += 1;
      const end = keyEnds.exec(text);
      if (end === null && this.#keyLines <= longestKey && keyGoesOn.test(text)) return undefined;
      this.#keyLines = undefined;
      if (end !== null) {
        text = text.slice(end[0].length);
        if (text.trim() === "") return undefined;
      }
    }
    if (keyBegins.test(text)) this.#keyLines = 0;
    return redactLog(text);
  }
}

/**
 * Splits a log that arrives in parts into lines. A line is returned only when it is complete: a secret that is split between
 * two parts would not be recognized.
 */
class RawLines {
  readonly #decoder = new StringDecoder("utf8");
  readonly #pieces = new Pieces();
  #skipping: boolean;

  /** @param skipFirst whether the first part begins within a line, which is skipped. */
  constructor(skipFirst: boolean) {
    this.#skipping = skipFirst;
  }

  /** Adds the next part, and returns the lines that end in it. */
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

  /** Returns an unfinished line at the end. */
  end(): readonly string[] {
    this.#add(this.#decoder.end());
    return this.#pieces.isEmpty ? [] : this.#take();
  }

  #add(piece: string): void {
    if (!this.#skipping) this.#pieces.add(piece);
  }

  #take(): readonly string[] {
    const skipped = this.#skipping;
    this.#skipping = false;
    const line = this.#pieces.take();
    return skipped ? [] : [line.replace(/\r$/, "")];
  }
}
