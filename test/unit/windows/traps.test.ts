import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";

const file = "docs/windows-traps.md";

/** Cells of a table's row; a bar behind a backslash parts none. */
const rows = readFileSync(file, "utf8")
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
  it("names of each trap the place that avoids it, and the tests that keep it so", () => {
    assert.ok(rows.length > 100, `${rows.length} traps`);
    const wrong = rows.flatMap(([trap = "", done = "", where = "", kept = ""]) => {
      if (done.startsWith("Out of scope: ")) {
        return [];
      }
      const place = /^`([^`]+)`$/.exec(where)?.[1] ?? "";
      const tests = [...kept.matchAll(/`([^`]+)`(?: "([^"]+)")?/g)];
      return [
        ...(isFile(place) && !place.startsWith("test/") ? [] : [`${trap}: ${where}`]),
        ...(tests.length > 0 ? [] : [`${trap}: no test is named`]),
        ...tests
          .filter(([, path = "", title = ""]) => {
            return !isFile(path) || !readFileSync(path, "utf8").includes(title);
          })
          .map(([named]) => `${trap}: there is no ${named}`),
      ];
    });
    assert.deepEqual(wrong, []);
  });
});
