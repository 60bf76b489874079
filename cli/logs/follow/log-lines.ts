import { StringDecoder } from "node:string_decoder";
import { stripVTControlCharacters } from "node:util";
import { redactLog } from "../redact-log.ts";

/** Characters of the longest line that is put together, and shown whole. */
export const longestLine = 64 * 1024;

const keyBegins = /-----BEGIN [A-Z ]*PRIVATE KEY-----(?![\s\S]*-----END)/;
const keyEnds = /^.*?-----END [A-Z ]*PRIVATE KEY-----/;
/** A line within a private key; old ones begin with headers. */
const keyGoesOn = /^\s*(?:[A-Za-z0-9+/=]*|Proc-Type: .*|DEK-Info: .*)\s*$/;
/** Lines of the longest key there is; what comes after them is none. */
const longestKey = 200;

/** A line of a container's log as the CRI writes it: time, stream, whether the line goes on, text. */
const containerLine = /^\S+ (?:stdout|stderr) ([FP])(?::\S*)? ?(.*)$/s;

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

/** A line that comes in pieces; of one that is too long the end is left out. */
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

  /** The line so far; begins a new one. */
  take(): string {
    const [text, dropped] = [this.#text, this.#dropped];
    this.#text = "";
    this.#dropped = 0;
    if (dropped === 0) return text;
    // Its last word may be the beginning of a secret.
    const whole = text.replace(/\S*$/, "");
    return `${whole}[${dropped + text.length - whole.length} characters left out]`;
  }
}

/**
 * Takes the lines of a container out of its log. containerd writes a long one in parts of 16 KiB, which are put
 * together again: a secret may lie on a border.
 */
class ContainerLines {
  readonly #pieces = new Pieces();

  /** @returns nothing while the line is not whole. */
  read(line: string): string | undefined {
    const [, kind, text = line] = containerLine.exec(line) ?? [];
    this.#pieces.add(text);
    return kind === "P" ? undefined : this.#pieces.take();
  }
}

/** Takes secrets out of lines that come one by one, also those that go over several lines. */
class LineRedactor {
  /** Lines of a private key so far; nothing outside of one. */
  #keyLines: number | undefined;

  /** @returns the line as it may be shown; nothing where all of it is secret. */
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
 * Cuts a log that comes in parts into lines. A line is given out only when its end is there: a secret that two parts
 * share would be recognized in neither.
 */
class RawLines {
  readonly #decoder = new StringDecoder("utf8");
  readonly #pieces = new Pieces();
  #skipping: boolean;

  /** @param skipFirst the first part begins within a line, which is left out. */
  constructor(skipFirst: boolean) {
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
