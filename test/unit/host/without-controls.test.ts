import assert from "node:assert/strict";

import { withoutControls } from "../../../host/without-controls.ts";
import { eachCase } from "../each-case.ts";

describe("a text of a guest, on the terminal", () => {
  const texts: Readonly<Record<string, readonly [text: string, left: string]>> = {
    "a colour": ["a\u001b[31mb\u001b[0m", "ab"],
    "a title": ["a\u001b]0;title\u0007b", "ab"],
    "a C1 sequence": ["a\u009b2Jb", "ab"],
    "a title that ends with ST": ["a\u001b]0;title\u001b\\b", "ab"],
    "a title without an end": ["a\u001b]0;title", "a]0;title"],
    "another character set": ["a\u001b(Bb", "ab"],
    "a lone escape": ["a\u001b", "a"],
    "carriage return, backspace and bell": ["a\rb\bc\u0007", "abc"],
    "lines, tabs and letters": ["ä\tb\n日本", "ä\tb\n日本"],
  };
  eachCase("%s", texts, ([text, left]) => assert.equal(withoutControls(text), left));
});
