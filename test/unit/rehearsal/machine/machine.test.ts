import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { types } from "../../../../rehearsal/powershell/types.ts";
import { windowsCmdlets } from "../../../../rehearsal/windows/powershell.ts";
import { RegistryItems } from "../../../../rehearsal/windows/registry.ts";
import { calicoBootTime } from "./machine-listing.ts";
import { assertDone, assertFails, hostFor, runFile, runGood, type StepRun } from "./step-runner.ts";

const script = fileURLToPath(new URL("../../../windows-runner/Show-Cmdlet.ps1", import.meta.url));
const recordings = fileURLToPath(new URL("cmdlet-recordings", import.meta.url));
const pages = ["docs/rehearsal.md", "rehearsal/machine/README.md"];
const cases = readFileSync(script, "utf8").match(/(?<=^    ')[\w.-]+(?=' +=)/gm) ?? [];

/** Cases that test/windows-runner/Record-Cmdlets.ps1 records on a real Windows. */
describe("The cmdlets of the model of Windows", () => {
  const machine = hostFor("all");
  before(() => cp(script, join(machine.driveC, "Show-Cmdlet.ps1")));

  for (const name of cases) {
    it(`${name} runs, and gives what was recorded where it was`, async () => {
      const output = await runFile(machine, "C:\\Show-Cmdlet.ps1", ["-Case", name]);
      assert.match(output, /^\{"count":\d+,"values":\[.*\],"error":.*\}\r\n$/);
      const recording = join(recordings, `${name}.json`);
      if (existsSync(recording)) {
        const [, line] = readFileSync(recording, "utf8").split("\n");
        assert.equal(output.trimEnd(), line);
      }
    });
  }

  it("says in the documents how many of them were compared with Windows", () => {
    const items = new RegistryItems(machine.windows.registry, types);
    const all = windowsCmdlets(machine.windows, items, () => Promise.resolve(), noPrograms);
    const recorded = all.filter((each) =>
      readdirSync(recordings).some((file) => file.startsWith(`${each.name}.`)),
    );
    const said = `${recorded.length} of ${all.length} cmdlets`;
    for (const page of pages) {
      assert.ok(readFileSync(page, "utf8").includes(said), `${page} does not say "${said}"`);
    }
  });
});

const noPrograms = { find: () => undefined, start: () => assert.fail() };

const hour = 3600;
/** Seconds that the way from one look at a clock to the next may take on a busy host. */
const slack = 120;

describe("A wrong clock, rehearsed", () => {
  const machine = hostFor("each", "Set-HostsEntry");

  const setAhead = (seconds: number): void => {
    machine.programs.clockOffsetMilliseconds = seconds * 1000;
  };
  const join = (): Promise<StepRun> => runGood(machine, "Join-Node");

  const cases: readonly (readonly [offsetSeconds: number, moved: number])[] = [
    [0, 0],
    [20, 0],
    [-20, 0],
    [-24 * hour, 24 * hour],
    [8 * hour, -8 * hour],
    [-90 * 365 * 24 * hour, 90 * 365 * 24 * hour],
  ];
  for (const [offset, moved] of cases) {
    it(`${offset} s ahead: moved by ${moved} s, and the node joins`, async () => {
      setAhead(offset);
      const result = await assertDone(join());
      const actual = Number(result.facts["clockMovedSeconds"]);
      assert.ok(Math.abs(actual - moved) < slack, `moved by ${actual} s`);
      if (moved !== 0) assert.ok(Math.abs(machine.programs.clockOffsetMilliseconds) < slack * 1000);
      await assertDone(join(), false, { clockMovedSeconds: 0 });
    });
  }

  it("is set on a node that has joined, too", async () => {
    await assertDone(join());
    setAhead(hour);
    await assertDone(join(), true, { alreadyJoined: true });
    assert.ok(Math.abs(machine.programs.clockOffsetMilliseconds) < slack * 1000);
  });

  for (const [isThisBoots, text] of [
    [true, "Calico is informed that the boot's time has moved with it"],
    [false, "Calico is not informed if its networks are an earlier boot's"],
  ] as const) {
    it(text, async () => {
      setAhead(-24 * hour);
      const reported = (): number => Date.parse(`${String(calicoBootTime(machine.windows))} UTC`);
      await runGood(machine, "Add-ExternalNetwork");
      await machine.windows.tasksEnded();
      if (!isThisBoots) {
        await machine.programs.reboot(0);
        await machine.up();
      }
      const before = reported();
      await assertDone(join(), true);
      const booted = Date.parse(machine.windows.lastBootUpTime);
      assert.ok(booted - before > 23 * hour * 1000);
      assert.equal(reported(), isThisBoots ? booted : before);
    });
  }

  it("that nobody can set right ends in kubeadm's complaint and what to do", async () => {
    setAhead(-24 * hour);
    machine.cluster.tellsTime = false;
    const expired = /x509: certificate has expired or is not yet valid/;
    const result = await assertFails(join(), "JoinFailed", expired);
    assert.match(result.stderr, /API server.s time could not be read/);
  });
});
