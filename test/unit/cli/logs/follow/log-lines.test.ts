import assert from "node:assert/strict";

import { type LogForm, LogLines, longestLine } from "../../../../../cli/logs/follow/log-lines.ts";

const token = "abcdef.0123456789abcdef";
const body = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ";
const pem = `-----BEGIN OPENSSH PRIVATE KEY-----\n${body}\n${body}==\n-----END OPENSSH PRIVATE KEY-----`;
const time = "2026-11-22T11:32:38.1234567Z";

const cases: Readonly<Record<string, readonly [text: string, lines: string[], LogForm?]>> = {
  "plain lines": ["one\r\ntwo\n\nthree\n", ["one", "two", "", "three"]],
  "a line without an end": ["one\ntw", ["one", "tw"]],
  "letters of several bytes": ["größer 日本\n", ["größer 日本"]],
  "a token": [`join with ${token} now\n`, ["join with [redacted] now"]],
  "a token at the very end": [`join ${token}`, ["join [redacted]"]],
  "a token cut by a terminal's colours": [`abcdef.\u001b[31m0123456789abcdef\n`, ["[redacted]"]],
  "a private key": [`key ${pem} done\nnext\n`, ["key [redacted]", " done", "next"]],
  "a private key that is cut off": [
    `${pem.slice(0, 80)}\nI1122 goes on\n`,
    ["[redacted]", "I1122 goes on"],
  ],
  "a key in one line": [`${JSON.stringify({ pem })}\n`, ['{"pem":"[redacted]"}']],
  "a container's lines": [
    `${time} stdout F one\n${time} stderr F two\n`,
    ["one", "two"],
    "container",
  ],
  "a container's line in parts, a token on the border": [
    `${time} stdout P a abcdef.0123\n${time} stdout F 456789abcdef b\n`,
    ["a [redacted] b"],
    "container",
  ],
  "a container's private key": [
    pem.replaceAll(/^/gm, `${time} stdout F `) + `\n${time} stdout F next\n`,
    ["[redacted]", "next"],
    "container",
  ],
};

function linesOf(parts: readonly Buffer[], form: LogForm = "plain"): readonly string[] {
  const log = new LogLines(form);
  return [...parts.flatMap((part) => log.push(part)), ...log.end()];
}

describe("lines of a log that comes in parts", () => {
  for (const [name, [text, lines, form]] of Object.entries(cases)) {
    const bytes = Buffer.from(text);

    it(`${name}, in one part, and in two, wherever they meet`, () => {
      for (let cut = 0; cut < bytes.length; cut++) {
        const parts = [bytes.subarray(0, cut), bytes.subarray(cut)];
        assert.deepEqual(linesOf(parts, form), lines, `cut at ${cut}`);
      }
    });
    it(`${name}, byte by byte`, () => {
      const parts = [...bytes].map((byte) => Buffer.of(byte));
      assert.deepEqual(linesOf(parts, form), lines);
    });
  }

  it("show nothing of a line before its end is there", () => {
    const log = new LogLines("plain");
    assert.deepEqual(log.push(Buffer.from("token abcdef.01234567")), []);
    assert.deepEqual(log.push(Buffer.from("89abcdef\n")), ["token [redacted]"]);
  });

  it("leave out the rest of a line that begins within the first part", () => {
    const log = new LogLines("plain", true);
    assert.deepEqual(log.push(Buffer.from("0123456789abcdef\nnext\n")), ["next"]);
  });

  it("are cut where they are too long, and never within a word", () => {
    const start = "word ".repeat(longestLine / 5 - 2);
    const [line = "", next] = linesOf([Buffer.from(`${start}${token} ${token}\nnext\n`)]);
    assert.ok(line.length < longestLine + 100);
    assert.doesNotMatch(line, /abcdef|0123/);
    assert.match(line, /\[\d+ characters left out\]$/);
    assert.equal(next, "next");
  });

  it("hold no more of an endless line than they show", () => {
    const log = new LogLines("plain");
    for (let part = 0; part < 64; part++) log.push(Buffer.alloc(64 * 1024, "x"));
    assert.deepEqual(log.push(Buffer.from("\n")), [`[${64 * 64 * 1024} characters left out]`]);
  });
});
