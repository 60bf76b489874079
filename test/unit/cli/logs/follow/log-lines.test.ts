import assert from "node:assert/strict";

import { LogLines } from "../../../../../cli/logs/follow/log-lines.ts";
import type { LogForm } from "../../../../../cli/logs/follow/log-lines.ts";
import { longestLine } from "../../../../../cli/logs/follow/raw-lines.ts";

const token = "abcdef.0123456789abcdef";
const body = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ";
const pem = `-----BEGIN OPENSSH PRIVATE KEY-----\n${body}\n${body}==\n-----END OPENSSH PRIVATE KEY-----`;
const time = "2026-11-22T11:32:38.1234567Z";

const cases: readonly {
  readonly name: string;
  readonly form?: LogForm;
  readonly text: string;
  readonly lines: readonly string[];
}[] = [
  { name: "plain lines", text: "one\r\ntwo\n\nthree\n", lines: ["one", "two", "", "three"] },
  { name: "a line without an end", text: "one\ntw", lines: ["one", "tw"] },
  { name: "letters of several bytes", text: "größer 日本\n", lines: ["größer 日本"] },
  { name: "a token", text: `join with ${token} now\n`, lines: ["join with [redacted] now"] },
  { name: "a token at the very end", text: `join ${token}`, lines: ["join [redacted]"] },
  {
    name: "a token cut by a terminal's colours",
    text: `abcdef.\u001b[31m0123456789abcdef\n`,
    lines: ["[redacted]"],
  },
  {
    name: "a private key",
    text: `key ${pem} done\nnext\n`,
    lines: ["key [redacted]", " done", "next"],
  },
  {
    name: "a private key that is cut off",
    text: `${pem.slice(0, 80)}\nI1122 goes on\n`,
    lines: ["[redacted]", "I1122 goes on"],
  },
  {
    name: "a key in one line",
    text: `${JSON.stringify({ pem })}\n`,
    lines: ['{"pem":"[redacted]"}'],
  },
  {
    name: "a container's lines",
    form: "container",
    text: `${time} stdout F one\n${time} stderr F two\n`,
    lines: ["one", "two"],
  },
  {
    name: "a container's line in parts, a token on the border",
    form: "container",
    text: `${time} stdout P a abcdef.0123\n${time} stdout F 456789abcdef b\n`,
    lines: ["a [redacted] b"],
  },
  {
    name: "a container's private key",
    form: "container",
    text: pem.replaceAll(/^/gm, `${time} stdout F `) + `\n${time} stdout F next\n`,
    lines: ["[redacted]", "next"],
  },
];

function linesOf(parts: readonly Buffer[], form: LogForm = "plain"): readonly string[] {
  const log = new LogLines(form);
  return [...parts.flatMap((part) => log.push(part)), ...log.end()];
}

describe("lines of a log that comes in parts", () => {
  for (const { name, form, text, lines } of cases) {
    const bytes = Buffer.from(text);

    it(`${name}, in one part`, () => {
      assert.deepEqual(linesOf([bytes], form), lines);
    });
    it(`${name}, in two parts, wherever they meet`, () => {
      for (let cut = 1; cut < bytes.length; cut++) {
        const parts = [bytes.subarray(0, cut), bytes.subarray(cut)];
        assert.deepEqual(linesOf(parts, form), lines, `cut at ${cut}`);
      }
    });
    it(`${name}, byte by byte`, () => {
      assert.deepEqual(
        linesOf(
          [...bytes].map((byte) => Buffer.of(byte)),
          form,
        ),
        lines,
      );
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
