import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import {
  BuildStages,
  StageError,
} from "../../../../components/windows/image/builder/build-stages.ts";
import { imageScriptsSource } from "../../../../components/windows/image/scripts-folder.ts";

const mib = 1024 ** 2;
const minute = 60_000;

/** Something seen from outside, at its place in a machine's life; minutes go by where a number stands. */
type Seen = number | "restart" | "off" | "sealed" | { wrote: number } | { says: string };

/** Plays what is seen, and says where that leads: a stage, or the error's text. */
function play(seen: readonly Seen[], slowness = 1): { stage: string; lines: string[] } {
  let now = 0;
  const lines: string[] = [];
  const stages = new BuildStages((line) => lines.push(line), now, slowness);
  try {
    for (const each of seen) {
      now += 5000;
      if (typeof each === "number") now += each * minute;
      else if (each === "restart") stages.restarted(now);
      else if (each === "sealed") stages.sealed(now);
      else if (each === "off") {
        stages.poweredOff();
        return { stage: "done", lines };
      } else if ("wrote" in each) stages.wrote(each.wrote, now);
      else stages.said(each.says, now);
      stages.checkTime(now);
    }
    return { stage: stages.stage, lines };
  } catch (error) {
    assert.ok(error instanceof StageError);
    return { stage: error.message, lines };
  }
}

const copied: Seen[] = [{ wrote: mib }, { wrote: 500 * mib }];
const prepared: Seen[] = [
  ...copied,
  "restart",
  "restart",
  { says: "kindows: installed, preparing the image" },
];
const initialized: Seen[] = [
  ...prepared,
  { says: "kindows: installing OpenSSH" },
  { says: "kindows: initialized" },
];
const updating: Seen[] = [
  ...prepared,
  { says: "kindows: installing OpenSSH" },
  { says: "kindows: installing the update" },
];
const updated: Seen[] = [
  ...updating,
  { says: "kindows: updated, rebooting" },
  "restart",
  { says: "kindows: rebooting for Component Based Servicing" },
  "restart",
];
const sealed: Seen[] = [...initialized, { says: "kindows: sealing" }, "sealed"];

const cases: readonly {
  readonly name: string;
  readonly seen: readonly Seen[];
  readonly end: string | RegExp;
}[] = [
  { name: "nothing yet", seen: [], end: "boot" },
  { name: "partitions only", seen: [{ wrote: 10 * mib }], end: "boot" },
  { name: "copying", seen: copied, end: "copy" },
  { name: "the first restart", seen: [...copied, "restart"], end: "setup" },
  {
    name: "more restarts than expected",
    seen: [...copied, "restart", "restart", "restart", "restart"],
    end: "setup",
  },
  { name: "the first logon", seen: prepared, end: "prepare" },
  { name: "prepared", seen: initialized, end: "seal" },
  { name: "an update that is installed", seen: [...updating, 89], end: "update" },
  { name: "the restarts of an update", seen: updated, end: "update" },
  {
    name: "an update that is in force",
    seen: [...updated, { says: "kindows: build 20348.2762" }],
    end: "seal",
  },
  {
    name: "the build of an image without an update",
    seen: [...initialized, { says: "kindows: build 20348.2762" }],
    end: "seal",
  },
  {
    name: "an update that never ends",
    seen: [...updating, 121],
    end: /^stage 5 of 7.* the update is installed.*no end within 2 h/,
  },
  { name: "sealed", seen: sealed, end: "power-off" },
  { name: "all of it", seen: [...sealed, "off"], end: "done" },
  {
    name: "a firmware's noise on the port",
    seen: [...copied, { says: "installed, preparing the image" }],
    end: "copy",
  },
  {
    name: "a first logon that runs twice",
    seen: [...initialized, { says: "kindows: installed, preparing the image" }],
    end: "seal",
  },
  {
    name: "off while copying",
    seen: [...copied, "off"],
    end: /^stage 2 of 7, Windows Setup copies .*switched off from inside before the image was sealed/,
  },
  { name: "off before it is sealed", seen: [...initialized, "off"], end: /^stage 6 of 7/ },
  {
    name: "restarts without end",
    seen: ["restart", "restart", "restart"],
    end: /^stage 1 of 7.* restarted 3 times and copied nothing/,
  },
  {
    name: "a script that fails",
    seen: [...prepared, { says: "kindows: failed: no disk" }],
    end: /^stage 4 of 7.* the machine says: failed: no disk/,
  },
  {
    name: "a disc that never boots",
    seen: [16],
    end: /^stage 1 of 7, Windows Setup starts from its disc: no end within 15 min/,
  },
  {
    name: "a stage's own time, not that of all",
    seen: [14, ...copied, 44, "restart", 59],
    end: "setup",
  },
  { name: "a Setup that hangs", seen: [...copied, 46], end: /^stage 2 of 7.*no end within 45 min/ },
  {
    name: "a sysprep that refuses, which nobody could log in to read any more",
    seen: [...sealed, { says: "kindows: failed: sysprep ended without generalizing" }],
    end: /^stage 7 of 7.* the machine says: failed: sysprep ended without generalizing/,
  },
  {
    name: "a power-off that never comes",
    seen: [...sealed, 46],
    end: /^stage 7 of 7.*no end within 45 min/,
  },
];

describe("stages of the making of an image", () => {
  for (const { name, seen, end } of cases) {
    it(name, () => {
      const { stage } = play(seen);
      if (typeof end === "string") assert.equal(stage, end);
      else assert.match(stage, end);
    });
  }

  it("last longer where a machine is emulated", () => {
    assert.equal(play([...copied, 46], 10).stage, "copy");
    assert.match(play([...copied, 451], 10).stage, /no end within 7 h 30 min/);
  });

  it("count a restart once that is told several times at once", () => {
    const lines: string[] = [];
    const stages = new BuildStages((line) => lines.push(line), 0);
    [1000, 1001, 1500, 9000].forEach((now) => stages.restarted(now));
    assert.deepEqual(lines.slice(1), ["restart 1", "restart 2"]);
  });

  it("know from when on the machine can be logged in to", () => {
    const stages = new BuildStages(() => undefined, 0);
    const open = ["installing OpenSSH", "installing the update", "updated, rebooting"].map(
      (message) => {
        stages.said(`kindows: ${message}`, 0);
        return stages.isOpen;
      },
    );
    assert.deepEqual(open, [false, false, true]);
    const other = new BuildStages(() => undefined, 0);
    other.said("kindows: initialized", 0);
    assert.ok(other.isOpen);
  });

  it("know from when to when a build that is killed can be gone on with", () => {
    const stages = new BuildStages(() => undefined, 0);
    const kept = (
      ["installing OpenSSH", "initialized", "build 20348.2762", "sealing"] as const
    ).map((message) => {
      stages.said(`kindows: ${message}`, 0);
      return [stages.isKept, stages.isSealing];
    });
    assert.deepEqual(kept, [
      [false, false],
      [true, false],
      [true, false],
      [false, true],
    ]);
    const script = readFileSync(path.join(imageScriptsSource, "Complete-Image.ps1"), "utf8");
    assert.match(script, /-Body \{\n {4}Write-SerialLine -Message 'sealing'\n/);
  });

  it("begin with the sealing where a build is gone on with, and give up sooner until scripts run", () => {
    const lines: string[] = [];
    const stages = new BuildStages((line) => lines.push(line), 0, 1, true);
    assert.deepEqual([stages.stage, stages.isOpen, stages.isDoubtful], ["seal", true, true]);
    assert.match(lines.join("\n"), /^stage 6 of 7: .*; at most 15 min 00 s$/);
    stages.restarted(5000);
    stages.checkTime(14 * minute);
    assert.throws(() => stages.checkTime(16 * minute), /^StageError: stage 6 of 7.*within 15 min/);
    stages.said("kindows: build 20348.2762", 14 * minute);
    assert.equal(stages.isDoubtful, false);
    stages.checkTime(44 * minute);
    assert.throws(() => stages.checkTime(46 * minute), /within 45 min/);
  });

  it("turn at what the scripts really say", () => {
    const script = readFileSync(path.join(imageScriptsSource, "Initialize-Image.ps1"), "utf8");
    const said = [...script.matchAll(/Write-SerialLine -Message '([^']+)'/g)].map(
      ([, message = ""]) => ({ says: `kindows: ${message}` }),
    );
    assert.equal(play([...copied, "restart", ...said.slice(0, 1)]).stage, "prepare");
    assert.equal(play([...copied, "restart", ...said.slice(0, -1)]).stage, "update");
    assert.equal(play([...copied, "restart", ...said]).stage, "seal");
    const confirming = readFileSync(
      path.join(imageScriptsSource, "Confirm-ImageBuild.ps1"),
      "utf8",
    );
    assert.match(confirming, /Write-SerialLine -Message "build \$found"/);
    assert.match(confirming, /\$found = "\$\(\$windows\.Build\)\.\$\(\$windows\.Revision\)"/);
    const library = readFileSync(path.join(imageScriptsSource, "lib/SerialLog.ps1"), "utf8");
    assert.match(library, /WriteLine\("kindows: \$Message"\)/);
    assert.match(library, /Write-SerialLine -Message "failed: /);
    assert.match(script, /Write-SerialFailure -Exception/);
  });

  it("are told with the number of all, and how long they may take; the first one at once", () => {
    const { lines } = play(sealed);
    assert.equal(lines[0], "stage 1 of 7: Windows Setup starts from its disc; at most 15 min 00 s");
    const copies = "stage 2 of 7: Windows Setup copies Windows to the disk; at most";
    assert.ok(lines.includes(`${copies} 45 min 00 s`));
    assert.ok(play(copied, 10).lines.includes(`${copies} 7 h 30 min`));
    assert.equal(lines.filter((line) => line.startsWith("stage ")).length, 6);
  });
});
