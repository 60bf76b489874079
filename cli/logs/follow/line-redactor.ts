import { stripVTControlCharacters } from "node:util";

import { redactLog } from "../redact-log.ts";

const keyBegins = /-----BEGIN [A-Z ]*PRIVATE KEY-----(?![\s\S]*-----END)/;
const keyEnds = /^.*?-----END [A-Z ]*PRIVATE KEY-----/;
/** A line within a private key; old ones begin with headers. */
const keyGoesOn = /^\s*(?:[A-Za-z0-9+/=]*|Proc-Type: .*|DEK-Info: .*)\s*$/;
/** Lines of the longest key there is; what comes after them is none. */
const longestKey = 200;

/** Takes secrets out of lines that come one by one, also those that go over several lines. */
export class LineRedactor {
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
