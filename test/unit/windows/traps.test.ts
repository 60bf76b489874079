import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";

const file = "docs/windows-traps.md";
const text = readFileSync(file, "utf8");

/** Cells of a table's row; a bar behind a backslash parts none. */
const rows = text
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (trap|-+) /.test(line))
  .map((line) =>
    line
      .slice(1, line.lastIndexOf("|"))
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll("\\|", "|")),
  );

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

describe(file, () => {
  it("has the six parts, and nobody's private places", () => {
    const parts = [...text.matchAll(/^## (\d)\. /gm)].map((match) => match[1]);
    assert.deepEqual(parts, ["1", "2", "3", "4", "5", "6"]);
    assert.ok(rows.length > 100, `${String(rows.length)} traps`);
    assert.doesNotMatch(text, /\/work\/|\/tmp\/|facts\//);
  });

  it("names no trap twice", () => {
    const traps = rows.map(([trap]) => trap);
    assert.equal(new Set(traps).size, traps.length);
  });

  for (const [trap = "", done = "", where = "", kept = ""] of rows) {
    if (done.startsWith("Out of scope: ")) {
      it(`leaves out with a reason: ${trap}`, () => {
        assert.ok(done.length > "Out of scope: ".length + 10, done);
        assert.deepEqual([where, kept], ["", ""]);
      });
      continue;
    }

    it(`names what is there: ${trap}`, () => {
      const place = /^`([^`]+)`$/.exec(where)?.[1] ?? "";
      assert.ok(isFile(place) && !place.startsWith("test/"), where);
      const tests = [...kept.matchAll(/`([^`]+)`(?: "([^"]+)")?/g)];
      assert.ok(tests.length > 0, "no test is named");
      for (const [, path = "", title = ""] of tests) {
        assert.ok(path.startsWith("test/") && isFile(path), path);
        assert.ok(readFileSync(path, "utf8").includes(title), `${path} has no "${title}"`);
      }
    });
  }
});
