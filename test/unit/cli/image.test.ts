import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { execa } from "execa";
import { usedByLabs, hashOfVolume } from "../../../cli/image/uses.ts";
import { imageFile } from "../../../components/windows/image/builder/image-artifact.ts";
import { writeImageNote } from "../../../components/windows/image/builder/image-note.ts";
import { PartialImage } from "../../../components/windows/image/builder/partial-image.ts";
import { Cache } from "../../../toolchain/cache.ts";
import { projectRoot } from "../../../toolchain/project.ts";
import { recordedHost } from "./lab/recorded-host.ts";

const used = "windows-image-0123456789abcdef";
const unused = "windows-image-fedcba9876543210";
const note = {
  version: "2022",
  edition: "standard-core",
  language: "en-US",
  build: 20348,
  revision: 2762,
};

describe("kindows image", () => {
  // Each is a process of its own, as a user starts it.
  let root: string;
  let cache: Cache;

  beforeEach(async () => {
    root = mkdtempSync(path.join(os.tmpdir(), "kindows-image-cli-"));
    cache = new Cache(path.join(root, "cache"));
    for (const address of [used, unused]) {
      await cache.make(address, "windows-image", async (into) => {
        writeFileSync(path.join(into, imageFile), "a disk");
        await writeImageNote(into, note);
      });
      mkdirSync(path.join(cache.root, "logs", `${address}.screens`), { recursive: true });
      writeFileSync(cache.logFile(address), "");
    }
    fakeVirsh(`case "$*" in
      *pool-list*) echo kindows-dev;;
      *vol-list*) echo " kindows-dev-0123456789ab.qcow2   /pool/kindows-dev-0123456789ab.qcow2";;
    esac`);
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  const fakeVirsh = (script: string): void => {
    writeFileSync(path.join(root, "virsh"), `#!/bin/sh\n${script}\n`);
    chmodSync(path.join(root, "virsh"), 0o755);
  };
  const kindows = async (
    ...args: string[]
  ): Promise<{ code: number; out: string; err: string }> => {
    const { exitCode, stdout, stderr } = await execa(
      process.execPath,
      ["--import", "tsx", "cli/main.ts", "image", ...args],
      {
        cwd: projectRoot,
        env: {
          KINDOWS_CACHE: cache.root,
          PATH: `${root}:${process.env.PATH ?? ""}`,
          STACK: "rehearsal",
        },
        reject: false,
        stdin: "ignore",
      },
    );
    return { code: exitCode ?? -1, out: stdout, err: stderr };
  };

  it("ls tells what each image is and who uses it", async () => {
    const { code, out, err } = await kindows("ls");
    assert.equal(code, 0, err);
    const rows = out.split("\n").sort();
    assert.deepEqual(
      rows.map((row) => row.split(/ {2,}/)).map(([name, what, , , by]) => [name, what, by]),
      [
        ["IMAGE", "WINDOWS SERVER", "USED BY"],
        [used, "2022 standard-core en-US, 20348.2762", "lab kindows-dev"],
        [unused, "2022 standard-core en-US, 20348.2762", undefined],
      ],
    );
  });

  it("prune --dry-run removes nothing and says what would go", async () => {
    const { code, err } = await kindows("prune", "--dry-run");
    assert.equal(code, 0, err);
    assert.match(err, new RegExp(`kept ${used}: lab kindows-dev`));
    assert.match(err, new RegExp(`would remove ${unused}`));
    assert.deepEqual(readdirSync(cache.entriesFolder).sort(), [used, unused]);
  });

  it("prune keeps what machines stand on, and leaves nothing of the others", async () => {
    const { code, err } = await kindows("prune");
    assert.equal(code, 0, err);
    assert.deepEqual(readdirSync(cache.entriesFolder), [used]);
    const logs = readdirSync(path.join(cache.root, "logs")).sort();
    assert.deepEqual(logs, [`${used}.log`, `${used}.screens`]);
  });

  it("prune removes nothing when it can't be told what machines stand on", async () => {
    fakeVirsh("echo 'error: failed to connect' >&2; exit 1");
    const { code, err } = await kindows("prune");
    assert.equal(code, 1);
    assert.match(err, /failed to connect/);
    assert.deepEqual(readdirSync(cache.entriesFolder).sort(), [used, unused]);
  });

  it("ls lists the images even then, and says what is not known", async () => {
    fakeVirsh("echo 'error: failed to connect' >&2; exit 1");
    const { code, out, err } = await kindows("ls");
    assert.equal(code, 0, err);
    assert.match(err, /labs of this host use is not known: .*failed to connect/);
    assert.match(out, new RegExp(used));
  });

  it("ls tells of builds that were cut off, and prune removes what they left", async () => {
    const key = { private: "p", public: "p" };
    const secrets = { administratorPassword: "x", hostKey: key, loginKey: key };
    const inSetup = "windows-image-1111111111111111";
    const later = "windows-image-2222222222222222";
    for (const address of [inSetup, later]) {
      const partial = new PartialImage(cache, address);
      await partial.begin();
      writeFileSync(partial.disk, "half a disk");
      if (address === later) await partial.keep(secrets, root);
    }
    const { out } = await kindows("ls");
    assert.match(out, new RegExp(`${inSetup} +was cut off: the next build begins anew`));
    assert.match(out, new RegExp(`${later} +was cut off: the next build goes on with it`));
    const dry = await kindows("prune", "--dry-run");
    assert.match(dry.err, new RegExp(`would remove ${later}, which was cut off`));
    assert.equal(readdirSync(cache.partialFolder).length, 2);
    assert.equal((await kindows("prune")).code, 0);
    assert.deepEqual(readdirSync(cache.partialFolder), []);
  });

  it("ls and prune ask nobody where there is no image", async () => {
    fakeVirsh("echo 'error: failed to connect' >&2; exit 1");
    rmSync(cache.entriesFolder, { recursive: true });
    assert.equal((await kindows("ls")).err, "");
    assert.match((await kindows("prune")).err, /freed 0\.0 MiB/);
  });

  it("build and check have nothing to do for the rehearsal", async () => {
    for (const command of ["build", "check"]) {
      const { code, err } = await kindows(command, "--stack", "rehearsal");
      assert.equal(code, 0, err);
      assert.match(err, /the rehearsal's/);
    }
  });

  it("build tells everything that is missing, in one message, and makes nothing", async () => {
    const { code, err } = await kindows("build", "--stack", "dev");
    assert.equal(code, 1);
    assert.match(err, /^kindows: [3-9] things are in the way on this host; nothing was changed:$/m);
    assert.match(err, /acceptLicence: true/);
    assert.match(err, /Name a cumulative update/);
    assert.match(err, /kubelet\.exe, .*have no checksum that is known here.*kindows fetch/);
    assert.ok(!existsSync(cache.buildingFolder) || readdirSync(cache.buildingFolder).length === 0);
  });

  it("has help for every command", async () => {
    const { code, out } = await kindows("--help");
    assert.equal(code, 0);
    for (const command of ["check", "build", "ls", "prune"]) {
      assert.match(out, new RegExp(`^  ${command} `, "m"));
    }
    assert.match((await kindows("prune", "--help")).out, /--dry-run/);
    assert.equal((await kindows("prune", "--now")).code, 2);
  });
});

describe("images that labs use", () => {
  const names: readonly (readonly [pool: string, volume: string, hash: string | undefined])[] = [
    ["kindows-dev", "kindows-dev-0123456789ab.qcow2", "0123456789ab"],
    ["kindows-dev", "kindows-dev-win-1.qcow2", undefined],
    ["kindows-dev", "kindows-dev-not-made-yet.qcow2", undefined],
    ["kindows-dev", "kindows-other-0123456789ab.qcow2", undefined],
    ["kindows-dev", "0123456789ab.qcow2", undefined],
  ];
  for (const [pool, volume, hash] of names) {
    it(`${volume} in ${pool}: ${hash ?? "none"}`, () => {
      assert.equal(hashOfVolume(pool, volume), hash);
    });
  }

  it("are none where there is no libvirt", async () => {
    assert.deepEqual(await usedByLabs(recordedHost({ "virsh pool-list --name": undefined })), []);
  });
});
