import list from "./windows/steps/lib/SecretPatterns.json" with { type: "json" };

const mask = "[redacted]";

/**
 * What secrets look like, for those that nobody knows by value. `Hide-Secret` in components/windows/steps/lib/LogFiles.ps1
 * uses the same list on the machines. The texts come from guests, so each pattern must be linear: no two repetitions side by
 * side, or one within another, may take the same characters.
 */
export const secretPatterns: ReadonlyMap<string, RegExp> = new Map(
  list.patterns.map(({ what, keep, hide }) => {
    const source = `(${keep})${hide}`
      .replaceAll("<name>", list.name)
      .replaceAll("<sign>", list.sign);
    return [what, new RegExp(source, "gi")] as const;
  }),
);

/** Removes keys, tokens, passwords, logins and cookies from a text. */
export function redact(text: string): string {
  return [...secretPatterns.values()].reduce(
    (rest, pattern) => rest.replaceAll(pattern, `$1${mask}`),
    text,
  );
}

const keyBegins = /-----BEGIN [A-Z ]*PRIVATE KEY-----/g;
const keyEnds = /^.*?-----END [A-Z ]*PRIVATE KEY-----/;
/** A line within a private key; keys in old formats begin with headers. */
const keyGoesOn = /^(?:[A-Za-z0-9+/=]*|Proc-Type: .*|DEK-Info: .*)$/;
const longestKey = 200;

/** Removes secrets from lines that come one by one, also private keys of several lines. */
export class RedactedLines {
  /** Lines of a private key so far; undefined outside of one. */
  #keyLines: number | undefined;

  /** The line without secrets; none if it is within a key. */
  next(line: string): readonly string[] {
    let text = line;
    if (this.#keyLines !== undefined) {
      this.#keyLines += 1;
      const end = keyEnds.exec(text);
      if (end === null && this.#keyLines <= longestKey && keyGoesOn.test(text.trim())) return [];
      this.#keyLines = undefined;
      if (end !== null) {
        text = text.slice(end[0].length);
        if (text.trim() === "") return [];
      }
    }
    const begin = [...text.matchAll(keyBegins)].at(-1)?.index ?? -1;
    if (begin > text.lastIndexOf("-----END")) this.#keyLines = 0;
    return [redact(text)];
  }
}
