import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import { faultsPage, type Results } from "./fault-table/page.ts";
import { applies, faults, playTable, rows } from "./fault-table/table.ts";

const file = fileURLToPath(new URL("../../../docs/faults.md", import.meta.url));

describe("Every step times every fault", function () {
  this.timeout(300_000);
  let results: Results;
  let page: string;
  const over = new AbortController();

  before(async () => {
    results = await playTable(over.signal);
    const config = await resolveConfig(file);
    page = await format(faultsPage(faults, results), { ...config, filepath: file });
    process.stdout.write(
      `\n${page
        .split("\n")
        .filter((line) => line.startsWith("|"))
        .join("\n")}\n`,
    );
  });

  // Where it has taken too long, it is still played.
  after(() => over.abort());

  for (const row of rows) {
    for (const fault of faults.filter((each) => applies(row, each))) {
      it(`${row}: ${fault.name}`, () => {
        const cell = results.get(row)?.get(fault.name);
        assert.ok(cell, "was not played");
        assert.deepEqual(cell.problems, [], cell.error);
        if (cell.error === undefined) return;
        assert.ok(cell.error.includes(row), `the step is not named: ${cell.error}`);
        assert.match(cell.error, /win-1/i, "the machine is not named");
        // A step's own error has a remedy of its own; one of the connection says what to do in any case.
        const remedy = cell.code === undefined ? /run again/ : /"remedy":"[A-Z][^"]{20,}/;
        assert.match(cell.error, remedy, "there is no remedy");
      });
    }
  }

  it("is docs/faults.md: else run `node --import tsx test/unit/rehearsal-host/fault-table/write-page.ts`", () => {
    assert.equal(readFileSync(file, "utf8"), page);
  });
});
