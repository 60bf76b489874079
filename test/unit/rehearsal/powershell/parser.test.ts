/** What the parser refuses. Its trees are decided by tree-sitter.test.ts, and by what the recorded scripts do. */
import assert from "node:assert/strict";

import { ScriptSyntaxError } from "../../../../rehearsal/powershell/lexer.ts";
import { parse } from "../../../../rehearsal/powershell/parser.ts";
import { lineOf } from "../../../../rehearsal/powershell/syntax.ts";
import { Unsupported } from "../../../../rehearsal/powershell/values.ts";
import { eachCase } from "../../each-case.ts";

const file = (text: string): { path: string; text: string } => ({ path: "test.ps1", text });

/** Texts that are no PowerShell: message and line. */
const errors: Readonly<Record<string, string>> = {
  "$a = 1\nif ($b) {\n  1": "3: '}' expected, not the end of the line",
  "(1\n+ 2)": "2: ')' expected, not '+'",
  "$a\n'b": "2: a text that is closed expected, not '''",
  'a\n"b $c': "2: a text that is closed expected, not 'b'",
  "<# a": "1: a word expected, not '<'",
  "1 2": "1: the end of the statement expected, not '2'",
  "$a = ": "1: a word expected, not the end of the line",
  "\n}": "2: a statement expected, not '}'",
  "1 = 2": "1: a variable to assign to expected, not '1'",
  "1,": "1: a value expected, not the end of the line",
  "$a.": "1: the name of a member expected, not the end of the line",
  "$a + 1.5x": "1: the end of a number expected, not 'x'",
  "try { 1 }\n$b": "1: 'catch' or 'finally' expected, not the end of the line",
  "foreach ($a of $b) { }": "1: 'in' expected, not 'of'",
  "@{ a = 1 b = 2 }": "1: '}' expected, not 'b'",
  "param($a,)": "1: a parameter expected, not ')'",
  "[int $a": "1: a type expected, not '['",
  '"$a: b"': "1: a name behind ':', or ${ } around the one before it, expected, not ':'",
};

/** What PowerShell has and we have not. */
const unsupported: Readonly<Record<string, string>> = {
  "switch ($a) { }": "'switch'",
  "class A { }": "'class'",
  "do { 1 } until (1)": "'until'",
  "function f { begin { $_ } }": "'begin'",
  "a && b": "'&&'",
  "(a || b)": "'||'",
  "$a ? 1 : 2": "'?'",
  "$a ?? 1": "'??'",
  "a &": "'&'",
  "$a -shl 2": "'-shl'",
  "-bnot $a": "'-bnot'",
  ":x while (1) { }": "a label",
  "while (1) { break x }": "a label",
  "a --% b": "'--%'",
  "$a + 1.5d": "a number of this type",
  "@{ a = 1; A = 2 }": "the key a twice",
  "a –b": "'–'",
  "[ValidateSet(1)] $a = 1": "an attribute of a variable",
  "try { 1 } finally { break }": "break in a finally block",
  "try { 1 } catch { 2 } catch { 3 }": "a catch behind one that catches everything",
  '"$\u00e9"': "a variable with such a name",
  "a 1d": "a number of this type",
  "a -b: -- c": "-- behind a parameter",
  "a -- -b.c": "a name behind --",
};

/** Has a text refused as no PowerShell, or as what we have not, with a message. */
function assertRefused(
  text: string,
  error: typeof ScriptSyntaxError | typeof Unsupported,
  message: string,
): void {
  assert.throws(
    () => parse(file(text)),
    (thrown: Error) => {
      assert.equal(thrown.constructor, error, String(thrown));
      assert.equal(thrown.message, `test.ps1:${message}`);
      return true;
    },
  );
}

describe("The parser of PowerShell", () => {
  eachCase("tells what is wrong, and the line: %s", errors, (message, text) =>
    assertRefused(text, ScriptSyntaxError, message),
  );

  eachCase("refuses by name: %s", unsupported, (construct, text) =>
    assertRefused(text, Unsupported, `1: the interpreter does not support ${construct}`),
  );

  it("gives each node its line, start and end in the text", () => {
    const text = "$a = 1 # x\nfoo -a `\n  $b  \n";
    const positions = parse(file(text)).statements.map(({ position }) => position);
    const [first, second] = positions.map((each) => [lineOf(each), each.start, each.end]);
    assert.deepEqual(first, [1, 0, 6]);
    assert.deepEqual(second, [2, 11, text.indexOf("$b") + 2]);
  });
});
