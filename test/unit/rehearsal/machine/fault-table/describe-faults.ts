import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { plantFaults, stepNames } from "../step-runner.ts";
import { applies, faults } from "./faults.ts";
import { snapshotsOfRows, withLab } from "./lab.ts";
import { faultsPage, pageFile } from "./page.ts";
import { rows } from "./rows.ts";
import { codeOf, type Extent, lacks, playTable, type Results } from "./table.ts";

/** Machines in parallel, because most of the time is spent on the connection. */
const atOnce = 4;
const row = "Set-HostsEntry";

/** Cuts the result's line after each of its characters. @returns the cuts that were still taken for a result */
async function cutResults(): Promise<{ cuts: number; problems: string[] }> {
  const problems: string[] = [];
  let characters = 0;
  let whole = false;
  const { before } = (await snapshotsOfRows()).get(row) ?? {};
  const worker = (): Promise<void> =>
    withLab(before, async (lab) => {
      const error = await lab.run(row);
      if (error !== undefined) throw new Error(error);
      while (!whole) {
        const kept = characters++;
        const fault = { kind: "cutResult", step: row, characters: kept, times: kept + 1 } as const;
        await plantFaults(lab.machine, fault);
        const cut = await lab.run(row);
        // The whole line came, but not the exit status that ends it.
        if (/"dnsServers":"[^"]*"\}\}\r?\n?$/.test(cut ?? "")) whole = true;
        if (cut === undefined || codeOf(cut) !== undefined || !cut.includes("run again")) {
          problems.push(`after ${kept} characters: ${cut ?? "it counts as a result"}`);
          whole ||= kept > 2000;
        }
      }
    });
  await Promise.all(Array.from({ length: atOnce }, worker));
  return { cuts: characters, problems };
}

/** Tests of every fault in every step. `sample`: only some of the points at which something is cut off. */
export function describeFaults(extent: Extent): void {
  describe("Every step times every fault", () => {
    let results: Results;
    let page: string;
    const over = new AbortController();

    before(async function () {
      // The whole may take longer than a test's limit on a busy host. Hangs in it end by their own limits.
      this.timeout(3_600_000);
      results = await playTable(extent, over.signal);
      page = await faultsPage(results);
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

    it("is docs/faults.md: else run `node --import tsx test/unit/rehearsal/machine/fault-table/write-page.ts`", () => {
      assert.equal(readFileSync(pageFile, "utf8"), page);
    });
  });
}
