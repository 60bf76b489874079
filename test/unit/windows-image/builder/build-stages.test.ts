import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import {
  BuildStages,
  StageError,
} from "../../../../components/windows/image/builder/build-stages.ts";
import { imageScriptsSource } from "../../../../components/windows/image/scripts-folder.ts";
import { eachCase } from "../../each-case.ts";

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

const says = (...messages: readonly string[]): Seen[] =>
  messages.map((message) => ({ says: `kindows: ${message}` }));

const copied: Seen[] = [{ wrote: mib }, { wrote: 500 * mib }];
const prepared: Seen[] = [
  ...copied,
  "restart",
  "restart",
  ...says("installed, preparing the image"),
];
const initialized: Seen[] = [...prepared, ...says("installing OpenSSH", "initialized")];
const updating: Seen[] = [...prepared, ...says("installing OpenSSH", "installing the update")];
const updated: Seen[] = [
  ...updating,
  ...says("updated, rebooting"),
  "restart",
  ...says("rebooting for Component Based Servicing"),
  "restart",
];
const sealed: Seen[] = [...initialized, ...says("sealing"), "sealed"];
const built = says("build 20348.2762");

/** What is seen, and the stage or error that it leads to. */
const cases: Readonly<Record<string, readonly [seen: readonly Seen[], end: string | RegExp]>> = {
  "nothing yet": [[], "boot"],
  "partitions only": [[{ wrote: 10 * mib }], "boot"],
  copying: [copied, "copy"],
  "the first restart": [[...copied, "restart"], "setup"],
  "more restarts than expected": [[...copied, "restart", "restart", "restart", "restart"], "setup"],
  "the first logon": [prepared, "prepare"],
  prepared: [initialized, "seal"],
  "an update that is installed": [[...updating, 89], "update"],
  "the restarts of an update": [updated, "update"],
  "an update that is in force": [[...updated, ...built], "seal"],
  "the build of an image without an update": [[...initialized, ...built], "seal"],
  "an update that never ends": [
    [...updating, 121],
    /^stage 5 of 7.* the update is installed.*no end within 2 h/,
  ],
  sealed: [sealed, "power-off"],
  "all of it": [[...sealed, "off"], "done"],
  "a firmware's noise on the port": [
    [...copied, { says: "installed, preparing the image" }],
    "copy",
  ],
  "a first logon that runs twice": [
    [...initialized, ...says("installed, preparing the image")],
    "seal",
  ],
  "off while copying": [
    [...copied, "off"],
    /^stage 2 of 7, Windows Setup copies .*switched off from inside before the image was sealed/,
  ],
  "off before it is sealed": [[...initialized, "off"], /^stage 6 of 7/],
  "restarts without end": [
    ["restart", "restart", "restart"],
    /^stage 1 of 7.* restarted 3 times and copied nothing/,
  ],
  "a script that fails": [
    [...prepared, ...says("failed: no disk")],
    /^stage 4 of 7.* the machine says: failed: no disk/,
  ],
  "a disc that never boots": [
    [16],
    /^stage 1 of 7, Windows Setup starts from its disc: no end within 15 min/,
  ],
  "a stage's own time, not that of all": [[14, ...copied, 44, "restart", 59], "setup"],
  "a Setup that hangs": [[...copied, 46], /^stage 2 of 7.*no end within 45 min/],
  "a sysprep that refuses, which nobody could log in to read any more": [
    [...sealed, ...says("failed: sysprep ended without generalizing")],
    /^stage 7 of 7.* the machine says: failed: sysprep ended without generalizing/,
  ],
  "a power-off that never comes": [[...sealed, 46], /^stage 7 of 7.*no end within 45 min/],
};

describe("stages of building an image", () => {
  eachCase("%s", cases, ([seen, end]) => {
    const { stage } = play(seen);
    if (typeof end === "string") assert.equal(stage, end);
    else assert.match(stage, end);
  });

  it("last longer where a machine is emulated", () => {
    assert.equal(play([...copied, 46], 10).stage, "copy");
    assert.match(play([...copied, 451], 10).stage, /no end within 7 h 30 min/);
  });

  it("count a restart once that is reported several times at once", () => {
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

  it("are reported with the number of all, and how long they may take; the first one at once", () => {
    const { lines } = play(sealed);
    assert.equal(lines[0], "stage 1 of 7: Windows Setup starts from its disc; at most 15 min 00 s");
    const copies = "stage 2 of 7: Windows Setup copies Windows to the disk; at most";
    assert.ok(lines.includes(`${copies} 45 min 00 s`));
    assert.ok(play(copied, 10).lines.includes(`${copies} 7 h 30 min`));
    assert.equal(lines.filter((line) => line.startsWith("stage ")).length, 6);
  });
});
