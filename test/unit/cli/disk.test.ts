import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, utimes, writeFile } from "node:fs/promises";
import path from "node:path";

import { compilerCaches } from "../../../cli/cache/entries.ts";
import { orphaned, removeStaleDownloads, unusedFor } from "../../../cli/cache/prune.ts";
import { usedByLabs } from "../../../cli/image/images.ts";
import { imageFile } from "../../../images/windows/builder/image-artifact.ts";
import { writeImageNote, PartialImage } from "../../../images/windows/builder/partial-image.ts";
import { Cache } from "../../../toolchain/cache.ts";
import { newFolder } from "../new-folder.ts";
import { recordedHost } from "./recorded-host.ts";
import { type Ended, runKindows } from "./run-kindows.ts";

const used = "windows-image-0123456789abcdef";
const unused = "windows-image-fedcba9876543210";
const note = {
  version: "2022",
  edition: "standard-core",
  language: "en-US",
  build: 20348,
  revision: 2762,
};

describe("kindows disk", () => {
  const searched = process.env.PATH ?? "";
  let root: string;
  let cache: Cache;

  beforeEach(async () => {
    root = newFolder();
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

  const fakeVirsh = (script: string): void =>
    writeFileSync(path.join(root, "virsh"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const silentVirsh = (): void => fakeVirsh("echo 'error: failed to connect' >&2; exit 1");
  const kindows = (...args: string[]): Promise<Ended> =>
    runKindows(["disk", ...args], { KINDOWS_CACHE: cache.root, PATH: `${root}:${searched}` });
  const entries = (): string[] => readdirSync(cache.entriesFolder).sort();

  it("ls tells what each image is and who uses it", async () => {
    const { code, out, err } = await kindows("ls");
    assert.equal(code, 0, err);
    const rows = out.trimEnd().split("\n").sort();
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
    assert.deepEqual(entries(), [used, unused]);
  });

  it("prune keeps what machines stand on, and leaves nothing of the others", async () => {
    const { code, err } = await kindows("prune");
    assert.equal(code, 0, err);
    assert.deepEqual(entries(), [used]);
    const logs = readdirSync(path.join(cache.root, "logs")).sort();
    assert.deepEqual(logs, [`${used}.log`, `${used}.screens`]);
  });

  it("prune removes nothing when it can't be known what machines stand on", async () => {
    silentVirsh();
    const { code, err } = await kindows("prune");
    assert.equal(code, 1);
    assert.match(err, /failed to connect/);
    assert.deepEqual(entries(), [used, unused]);
  });

  it("ls lists the images even then, and says what is not known", async () => {
    silentVirsh();
    const { code, out, err } = await kindows("ls");
    assert.equal(code, 0, err);
    assert.match(
      err,
      /cannot find out which images the labs of this host use: .*failed to connect/,
    );
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
    assert.match(out, new RegExp(`${inSetup} +was interrupted: the next build starts over`));
    assert.match(out, new RegExp(`${later} +was interrupted: the next build continues it`));
    const dry = await kindows("prune", "--dry-run");
    assert.match(dry.err, new RegExp(`would remove ${later}, which was interrupted`));
    assert.equal(readdirSync(cache.partialFolder).length, 2);
    assert.equal((await kindows("prune")).code, 0);
    assert.deepEqual(readdirSync(cache.partialFolder), []);
  });

  it("ls and prune ask nobody where there is no image", async () => {
    silentVirsh();
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
    assert.match(err, /in the way on this host; nothing was changed:$/m);
    assert.match(err, /acceptLicence: true/);
    assert.doesNotMatch(err, /kubelet|update/, "what is found and fetched after that");
    assert.ok(!existsSync(cache.buildingFolder) || readdirSync(cache.buildingFolder).length === 0);
  });

  describe("scripts, which seal a disk of one's own,", () => {
    it("are all there, with what each takes from beside it, and the answer file", async () => {
      const into = path.join(root, "new", "seal");
      assert.equal((await kindows("scripts", into, "--language", "de-DE")).code, 0);
      for (const script of readdirSync(into).filter((name) => name.endsWith(".ps1"))) {
        const text = readFileSync(path.join(into, script), "utf8");
        for (const [, taken = ""] of text.matchAll(/^\. \(Join-Path \$PSScriptRoot '(.+)'\)$/gm)) {
          assert.ok(existsSync(path.join(into, taken.replace("\\", "/"))), `${script}: ${taken}`);
        }
      }
      assert.ok(existsSync(path.join(into, "Complete-Image.ps1")));
      assert.match(readFileSync(path.join(into, "sealed.xml"), "utf8"), /<UILanguage>de-DE</);
    });

    it("are not written for a language that is none, nor beside what somebody else put there", async () => {
      const { err } = await kindows("scripts", path.join(root, "x"), "--language", "German");
      assert.match(err, /^kindows: --language: "German" .*en-US\.$/m);
      assert.equal(existsSync(path.join(root, "x")), false);
      assert.match((await kindows("scripts", root)).err, /is not empty/);
    });
  });
});

describe("images that labs use", () => {
  it("are the golden images in labs' pools, by their names", async () => {
    const volumes = [
      "kindows-dev-0123456789ab.qcow2",
      "kindows-dev-win-1.qcow2",
      "kindows-dev-not-made-yet.qcow2",
      "kindows-other-fedcba987654.qcow2",
      "00000000000a.qcow2",
    ];
    const host = recordedHost({
      "virsh pool-list --name": "kindows-dev\ndefault\n",
      "virsh pool-refresh kindows-dev": "",
      "virsh vol-list kindows-dev": volumes.map((name) => ` ${name}   /pool/${name}\n`).join(""),
    });
    assert.deepEqual(await usedByLabs(host), [{ hash: "0123456789ab", why: "lab kindows-dev" }]);
  });

  it("are none where there is no libvirt", async () =>
    assert.deepEqual(await usedByLabs(recordedHost({ "virsh pool-list --name": undefined })), []));
});

const now = new Date("2026-11-21T12:00:00Z");
const day = 24 * 3600;

describe("kindows cache prune", () => {
  let cache: Cache;
  beforeEach(() => (cache = new Cache(newFolder())));

  for (const [what, name, age, days, goes] of [
    ["an old part", "0a.part", 31 * day, 30, true],
    ["an old wrong file", "wrong/0a-kubelet.exe", 31 * day, 30, true],
    ["a younger part", "0a.part", 29 * day, 30, false],
    ["any part when all shall go", "0a.part", 61, 0, true],
    ["a part that is being written, even then", "0a.part", 1, 0, false],
  ] as const) {
    it(`${goes ? "removes" : "spares"} ${what}`, async () => {
      const file = path.join(cache.downloadsFolder, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, "12345");
      await utimes(file, now, new Date(now.getTime() - age * 1000));
      assert.equal(await removeStaleDownloads(cache, days, now), goes ? 5 : 0);
      assert.equal(existsSync(file), !goes);
    });
  }

  it("has nothing to do where nothing was ever downloaded", async () =>
    assert.equal(await removeStaleDownloads(cache, 0, now), 0));

  it("finds the compiler's caches, as old as the last thing compiled", async () => {
    assert.deepEqual(await compilerCaches(cache), []);
    const below = path.join(cache.root, "go/build/00");
    await mkdir(below, { recursive: true });
    await writeFile(path.join(below, "package"), "x".repeat(10_000));
    const [old, newer] = [new Date("2026-01-01"), new Date("2026-02-01")];
    await utimes(below, newer, newer);
    await utimes(path.join(cache.root, "go/build"), old, old);
    const [found] = await compilerCaches(cache);
    assert.deepEqual(found?.usedAt, newer);
    assert.ok(found.bytes >= 10_000);
  });

  it("takes what is not used for so many days", () => {
    const entries = Object.entries({ old: "2026-01-01", new: "2026-01-09" }).map(
      ([address, usedAt]) => ({ address, bytes: 1, seconds: 1, usedAt: new Date(usedAt) }),
    );
    const taken = (days: number): string[] =>
      unusedFor(days, entries, new Date("2026-01-10")).map(({ address }) => address);
    assert.deepEqual([taken(0), taken(5), taken(30)], [["old", "new"], ["old"], []]);
  });

  it("takes images from Docker that the cache does not hold, and nobody else's", () => {
    const tags = ["kindows-05b6393c6ccd", "kindows-babaee97ff76", "v1.36.4"];
    const [held = "", stale = "", others = ""] = tags.map((tag) => `kindest/node:${tag}`);
    const addresses = ["node-image-05b6393c6ccda678", "kind-babaee97ff7608a6"];
    assert.deepEqual(orphaned([held, stale, others, ""], addresses), [stale]);
  });
});
