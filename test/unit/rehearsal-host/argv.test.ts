import assert from "node:assert/strict";
import { quoteArgument, splitArguments } from "../../../rehearsal/host/cmd/argv.ts";

// Among them the examples of Microsoft's "Parsing C command-line arguments".
const lines: readonly (readonly [line: string, expected: readonly string[]])[] = [
  ["", []],
  ["   ", []],
  ["a b\tc", ["a", "b", "c"]],
  ['"abc" d e', ["abc", "d", "e"]],
  ['a\\\\b d"e f"g h', ["a\\\\b", "de fg", "h"]],
  ['a\\\\\\"b c d', ['a\\"b', "c", "d"]],
  ['a\\\\\\\\"b c" d e', ["a\\\\b c", "d", "e"]],
  ['a"b"" c d', ['ab" c d']],
  ['-Entry ""', ["-Entry", ""]],
  ['""', [""]],
  ["C:\\k\\ x", ["C:\\k\\", "x"]],
  ['"C:\\Program Files\\x.ps1" -A "b c"', ["C:\\Program Files\\x.ps1", "-A", "b c"]],
];

describe("Windows command lines", () => {
  for (const [line, expected] of lines) {
    it(`splits ${JSON.stringify(line)}`, () => {
      assert.deepEqual(splitArguments(line), expected);
    });
  }

  for (const argument of ["a", "", "a b", 'say "hi"', "ends\\", "ends \\", 'a\\"b', "tab\there"]) {
    it(`quotes ${JSON.stringify(argument)} so that it comes back`, () => {
      const line = `x ${quoteArgument(argument)} y`;
      assert.deepEqual(splitArguments(line), ["x", argument, "y"]);
    });
  }
});
