import assert from "node:assert/strict";
import { spawnSync, type ChildProcess } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { exitCodes } from "../../host/failure.ts";
import { bareBake } from "../../images/windows/bake.ts";
import {
  imageArtifactName,
  imageFile,
  windowsImage,
} from "../../images/windows/builder/image-artifact.ts";
import type { BuilderChanges } from "../../images/windows/builder/image-artifact.ts";
import { PartialImage } from "../../images/windows/builder/partial-image.ts";
import { uefiPackages } from "../../images/windows/builder/uefi-firmware.ts";
import { newImageSecrets } from "../../images/windows/image-disc.ts";
import type { Settings } from "../../config/settings.ts";
import { Cache, artifactAddress } from "../../toolchain/cache.ts";
import { ensureArtifacts } from "../../toolchain/ensure.ts";
import { ensureHostPackages } from "../../toolchain/host-packages.ts";
import { waitUntil } from "../../host/wait-until.ts";
import { standInBootDisk, standInBuilder, StandInMedia } from "../e2e/stand-in-media.ts";
import type { Fault, StandInBuild } from "../e2e/stand-in-media.ts";

/** What can go wrong while an image is made, with a real QEMU and the stand-in for Windows Setup. */
describe("the making of an image that goes wrong", () => {
  let folder = "";
  let cache: Cache;
  let media: StandInMedia;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "kindows-faults-"));
    media = new StandInMedia(path.join(folder, "media"), await standInBootDisk());
    await media.prepare();
    // Not with each image: most of them boot with a BIOS.
    await ensureHostPackages(uefiPackages(), () => undefined);
  });
  beforeEach(async () => (cache = new Cache(await mkdtemp(path.join(folder, "cache-")))));
  after(() => rm(folder, { recursive: true, force: true }));

  const small: BuilderChanges = { ...standInBuilder, bake: bareBake };
  const start = (
    settings: Settings,
    onLine?: (line: string, child: ChildProcess) => void,
  ): Promise<StandInBuild> =>
    media.start(settings, cache, { bare: true, ...(onLine !== undefined && { onLine }) });
  const make = async (
    settings: Settings,
    changes: BuilderChanges = {},
    progress: (line: string) => void = () => undefined,
  ): Promise<void> => {
    const artifact = windowsImage(settings, cache, { ...small, ...changes });
    await ensureArtifacts([artifact], { cache, progress });
  };

  const machines = (): number[] => {
    const line = `kindows-image-builder.*${folder}`;
    const { stdout } = spawnSync("pgrep", ["--full", line], { encoding: "utf8" });
    return stdout.split("\n").filter(Boolean).map(Number);
  };
  const noMachine = (): Promise<void> => {
    const options = { what: "QEMU to end", timeoutSeconds: 10, pollMilliseconds: 50 };
    return waitUntil(options, () =>
      Promise.resolve(machines().length === 0 ? undefined : machines().join(" ")),
    );
  };
  const assertNothingHalfMade = (): void => {
    assert.deepEqual(machines(), []);
    for (const folder of [cache.buildingFolder, cache.partialFolder]) {
      assert.deepEqual(existsSync(folder) ? readdirSync(folder) : [], [], folder);
    }
    const entries = existsSync(cache.entriesFolder) ? readdirSync(cache.entriesFolder) : [];
    const halfMade = entries.filter((name) => name.startsWith(imageArtifactName));
    assert.deepEqual(halfMade, []);
  };

  const goesWrong = async (
    message: RegExp,
    changes: BuilderChanges,
    progress?: (line: string) => void,
  ): Promise<void> => {
    await assert.rejects(make(await media.settings(), changes, progress), message);
    assertNothingHalfMade();
  };
  const emulator = async (script: string): Promise<string> => {
    const file = path.join(folder, "emulator");
    await writeFile(file, script, { mode: 0o755 });
    return file;
  };

  const faults: readonly (readonly [fault: Fault, message: RegExp, slowness: number])[] = [
    [
      "never-copies",
      /stage 1 of 7, .*: no end within .*Newest screenshot: (\S+\.p[np][gm])\. /,
      0.03,
    ],
    [
      "powers-off-early",
      /stage [12] of 7, .*switched off from inside before the image was sealed/,
      0.2,
    ],
    [
      "update-fails",
      /exit code 20: the image has Windows 20348\.587, and a node needs 20348\.2762 or newer.*last seen: /,
      0.2,
    ],
    ["script-fails", /stage 4 of 7, .*the machine says: failed: asked to; last seen: failed/, 0.2],
    [
      "sealing-fails",
      /sealing failed: exit code 10: asked to; last seen: (?:initialized|build 20348\.2762)/,
      0.2,
    ],
    ["stays-on", /stage 7 of 7, .*: no end within .*last seen: .*If sysprep failed/, 0.03],
  ];
  for (const [fault, message, slowness] of faults) {
    it(`${fault}: the error says where and what to do, and nothing half-made is left`, async () => {
      const settings = await media.settings(fault);
      await assert.rejects(make(settings, { slowness }), (error: Error) => {
        const [, screenshot] = message.exec(error.message) ?? assert.fail(error.message);
        assert.ok(screenshot === undefined || existsSync(screenshot), screenshot);
        return true;
      });
      assertNothingHalfMade();
    });
  }

  it("a QEMU that crashes is reported", () =>
    goesWrong(/QEMU ended by itself \(signal SIGKILL\)/, {}, (line) => {
      if (line.includes("stage 2 of 7")) machines().forEach((pid) => process.kill(pid, "SIGKILL"));
    }));

  it("a QEMU that does not start is reported, with what it says", async () => {
    const script = "#!/bin/sh\necho 'Could not access KVM kernel module' >&2\nexit 1\n";
    await goesWrong(/QEMU did not start \(exit code 1\)[^]*Could not access KVM/, {
      emulator: await emulator(script),
    });
  });

  it("a kept disk that no QEMU starts from is thrown away, and the build starts over, once", async () => {
    const changes = { emulator: await emulator("#!/bin/sh\nexit 1\n") };
    const settings = await media.settings();
    const address = await artifactAddress(windowsImage(settings, cache, small));
    const partial = new PartialImage(cache, address);
    await partial.begin();
    await writeFile(partial.disk, "not a disk");
    await partial.keep(newImageSecrets(), folder);
    const lines: string[] = [];
    const made = make(settings, changes, (line) => lines.push(line));
    await assert.rejects(made, /QEMU did not start/);
    const text = lines.join("\n");
    assert.match(text, /continues with its disk[^]*is unusable: QEMU did not start[^]*starts over/);
    assert.equal(text.split("starts over").length, 2);
    assertNothingHalfMade();
  });

  it("a disk that gets full is reported, and Windows never sees it", async () => {
    // Every write to the disk's file fails as on a full file system, to mount which takes root.
    const script = `#!/bin/bash
set -- "\${@//'"file":{"driver":"file"'/'"file":{"driver":"blkdebug","inject-error":[{"event":"write_aio","errno":28}],"image":{"driver":"file"'}"
args=()
for each in "$@"; do
  case $each in *blkdebug*) each="$each}";; esac
  args+=("$each")
done
exec qemu-system-x86_64 "\${args[@]}"
`;
    await goesWrong(/the disk of this host is full; .*Make room/, {
      emulator: await emulator(script),
    });
  });

  it("too little room is reported before anything begins", () =>
    goesWrong(/has [\d.]+ GiB free, and making the image takes 1000000\.0 GiB\. Make room/, {
      neededGiB: 1_000_000,
    }));

  it("a build that is killed, at whatever stage, takes QEMU with it, and the next one makes the image", async () => {
    const settings = await media.settings();
    const address = await artifactAddress(windowsImage(settings, cache, small));
    let before = "";
    for (const moment of ["installs ", "stage 2", "stage 3", "stage 4", "stage 5", "stage 7"]) {
      const { lines, ended } = await start(settings, (line, child) => {
        if (line.includes(moment)) child.kill("SIGKILL");
      });
      assert.deepEqual(await ended, [null, "SIGKILL"], lines.join("\n"));
      await noMachine();
      assert.equal((await cache.state(address)).kind, "missing", moment);
      if (before !== "") assert.match(lines.join("\n"), /cannot be continued: starts over/);
      before = moment;
    }
    assert.equal(
      readdirSync(cache.buildingFolder).length,
      1,
      "each removed what the one before left",
    );
    await make(settings);
    assert.equal((await cache.state(address)).kind, "complete");
    assert.deepEqual(readdirSync(cache.buildingFolder), []);
    assert.deepEqual(readdirSync(cache.partialFolder), []);
  });

  const killSetUp = async (settings: Settings): Promise<string> => {
    const { lines, ended } = await start(settings, (line, child) => {
      if (line.includes("killed from now on, the next one resumes it")) child.kill("SIGKILL");
    });
    assert.deepEqual(await ended, [null, "SIGKILL"], lines.join("\n"));
    await noMachine();
    const address = await artifactAddress(windowsImage(settings, cache, small));
    assert.equal((await cache.state(address)).kind, "missing");
    return address;
  };

  for (const firmware of ["bios", "uefi"] as const) {
    it(`a build that is killed while steps run is gone on with, with ${firmware}`, async () => {
      const settings = await media.settings("bakes-slowly", firmware);
      const address = await killSetUp(settings);
      const folder = path.join(cache.partialFolder, address);
      assert.equal(statSync(folder).mode & 0o777, 0o700);
      for (const name of readdirSync(folder)) {
        assert.equal(statSync(path.join(folder, name)).mode & 0o777, 0o600, name);
      }
      // Again, while it is gone on with.
      const again = await start(settings, (line, child) => {
        if (line.includes("baking") || line.includes("build 20348")) child.kill("SIGKILL");
      });
      assert.deepEqual(await again.ended, [null, "SIGKILL"], again.lines.join("\n"));
      const lines: string[] = [];
      await make(settings, { slowness: 0.4 }, (line) => lines.push(line));
      const wanted = /was interrupted while the nodes' steps ran: continues with its disk/;
      assert.match(lines.join("\n"), wanted);
      assert.doesNotMatch(lines.join("\n"), /stage [1-5] of 7|starts over/);
      assert.equal((await cache.state(address)).kind, "complete");
      assert.deepEqual(readdirSync(cache.entryFolder(address)).sort(), [
        ".kindows-complete.json",
        "image.json",
        imageFile,
      ]);
      assert.deepEqual(readdirSync(cache.partialFolder), []);
    });
  }

  it("a disk that does not come up again is thrown away, and the build starts over, once", async () => {
    const settings = await media.settings("never-comes-back");
    const address = await killSetUp(settings);
    const lines: string[] = [];
    await make(settings, { slowness: 0.1 }, (line) => lines.push(line));
    const text = lines.join("\n");
    assert.match(
      text,
      /continues with its disk[^]*is unusable: [^]*no end within 1 min 30 s[^]*starts over/,
    );
    assert.match(text, /starts over[^]*stage 1 of 7[^]*the machine is off/);
    assert.equal((await cache.state(address)).kind, "complete");
    assert.deepEqual(readdirSync(cache.partialFolder), []);
  });

  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it(`${signal} ends QEMU and leaves nothing half-made`, async () => {
      const { lines, ended } = await start(await media.settings(), (line, child) => {
        if (line.includes("stage 2")) child.kill(signal);
      });
      assert.deepEqual(await ended, [exitCodes.interrupted, null]);
      assert.match(lines.join("\n"), /interrupted; the unfinished image is removed/);
      assertNothingHalfMade();
    });
  }

  it("of two at once one makes it and the other says who, and waits", async () => {
    const settings = await media.settings();
    // Otherwise each of the two would put them there, in the same moment.
    await media.putPrograms(settings, cache);
    const both = await Promise.all([start(settings), start(settings)]);
    const found = await Promise.all(both.map(({ ended }) => ended));
    assert.deepEqual(found, [
      [0, null],
      [0, null],
    ]);
    const reported = both.map(({ lines }) => lines.join("\n"));
    assert.equal(
      reported.filter((text) => /process \d+ is making it, waiting/.test(text)).length,
      1,
    );
    assert.equal(reported.filter((text) => text.includes("stage 2 of 7")).length, 1);
  });
});
