/** Small scripts give what a real PowerShell gave, or are refused by the name of what the interpreter does not know. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { recorded, run } from "./recorded-scripts.ts";

const folder = join(import.meta.dirname, "recordings");

/** Within what the scripts use, and yet refused, with the reason. */
const refused: Readonly<Record<string, string>> = {
  "strict-mode/04-method-of-null":
    "whether a type of .NET has not the method that is called is not known",
};

/** What 5.1 writes in place of what was recorded, where the interpreter has 5.1's way only. */
const windowsPowerShell: Readonly<Record<string, string>> = {
  "files/05-join-path-many": "",
};

interface Snippet {
  readonly path: string;
  readonly name: string;
  readonly point: string;
}

const snippets: readonly Snippet[] = readFileSync(join(folder, "index.tsv"), "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => {
    const [path = "", , point = ""] = line.split("\t");
    return { path, name: path.replace(/^snippets\/|\.ps1$/g, ""), point };
  });

describe("the interpreter, on scripts that a real PowerShell has run", () => {
  for (const { path, name, point } of snippets) {
    it(`${name}: ${point}`, async () => {
      const expected = recorded(join(folder, path));
      const actual = await run(join(folder, path), "Core");
      const mayBeRefused = point.includes("[beyond the scripts") || name in refused;
      if (actual.refused !== undefined && mayBeRefused) {
        assert.match(actual.refused, /\.ps1:\d+: the interpreter does not support \S/);
        // An unknown property is met only when it is asked for.
        assert.ok(expected.output.startsWith(actual.output), actual.output);
        return;
      }
      assert.equal(actual.refused, undefined);
      assert.equal(actual.output, windowsPowerShell[name] ?? expected.output, actual.errors);
      assert.equal(actual.code, expected.code);
    });
  }

  it("refuses no more of what the scripts use than is listed", () => {
    const within = snippets.filter(({ point }) => !point.includes("[beyond the scripts"));
    assert.ok(Object.keys(refused).every((name) => within.some((each) => each.name === name)));
    assert.ok(Object.keys(refused).length / within.length < 0.03);
  });
});
