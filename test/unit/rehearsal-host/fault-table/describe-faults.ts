import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import { stepNames } from "../step-runner.ts";
import type { Extent } from "./extent.ts";
import { applies, faults } from "./faults.ts";
import { faultsPage } from "./page.ts";
import { lacks } from "./play.ts";
import { cutResults } from "./result-cuts.ts";
import { rows } from "./rows.ts";
import { playTable, type Results } from "./table.ts";

const file = fileURLToPath(new URL("../../../../docs/faults.md", import.meta.url));

/** Tests of every fault in every step; `sample`: of places to cut something off, some. */
export function describeFaults(extent: Extent): void {
  describe("Every step times every fault", () => {
    let results: Results;
    let page: string;
    const over = new AbortController();

    before(async function () {
      // All of it may take a busy host more than a test may. What hangs in it ends by a limit of its own.
      this.timeout(3_600_000);
      results = await playTable(extent, over.signal);
      const config = await resolveConfig(file);
      page = await format(faultsPage(faults, results), { ...config, filepath: file });
      process.stdout.write(
        `\n${page
          .split("\n")
          .filter((line) => line.startsWith("- "))
          .join("\n")}\n`,
      );
    });

    // Where it has taken too long, it is still played.
    after(() => over.abort());

    for (const row of rows) {
      for (const fault of faults.filter((each) => applies(row, each))) {
        it(`${row}: ${fault.name}`, () => {
          const cell = results.cells.get(row)?.get(fault.name);
          assert.ok(cell, "was not played");
          assert.deepEqual(cell.problems, [], cell.error);
          if (cell.error !== undefined) assert.deepEqual(lacks(cell.error, row), [], cell.error);
        });
      }

      it(`${row}: SSH drops, at any byte`, () => {
        assert.deepEqual(results.anyByte.get(row), []);
      });
    }

    for (const step of stepNames) {
      it(`${step}: power cut, before each change`, () => {
        const { places = 0, problems } = results.powerCuts.get(step) ?? {};
        assert.deepEqual(problems, []);
        // Those that only look write nothing but their answer.
        assert.ok(places > 0 || ["Test-WindowsHost", "Confirm-ExternalNetwork"].includes(step));
      });
    }

    it("a result cut after any of its characters is never taken for one", async () => {
      const { cuts, problems } = await cutResults();
      assert.deepEqual(problems, []);
      assert.ok(cuts > 100, `${cuts} cuts`);
    });

    for (const { name, rows: some, notElsewhere } of faults) {
      it(`says why there are rows without ${name}, where there are`, () => {
        assert.equal(notElsewhere !== undefined, some !== undefined && some.length < rows.length);
      });
    }

    it("is docs/faults.md: else run `node --import tsx test/unit/rehearsal-host/fault-table/write-page.ts`", () => {
      assert.equal(readFileSync(file, "utf8"), page);
    });
  });
}
