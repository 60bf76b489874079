import assert from "node:assert/strict";
import {
  appendFileSync,
  chmodSync,
  readdirSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { execa } from "execa";
import {
  convertedDisk,
  convertedDiskName,
} from "../../../../components/machine/disk/converted-disk.ts";
import { windowsDisk } from "../../../../components/windows/image/windows-disk.ts";
import { Cache } from "../../../../toolchain/cache.ts";
import { diskFormatOf, mustBeConverted } from "../../../../toolchain/disk-format.ts";
import { ensureArtifacts } from "../../../../toolchain/ensure.ts";
import { digestOfFile } from "../../../../toolchain/file-digest.ts";
import { inNewFolder } from "../../new-folder.ts";

describe("a disk of the user's that is converted", () => {
  let at: ReturnType<typeof inNewFolder>;
  let cache: Cache;
  beforeEach(() => {
    at = inNewFolder();
    cache = new Cache(at("cache"));
  });

  /** A disk with something in the middle of it, which most of it has not. */
  async function makeDisk(name: string, format: string, pattern = "0x5a"): Promise<string> {
    const cwd = at();
    await execa("qemu-img", ["create", "-q", "-f", format, name, "12G"], { cwd });
    await execa("qemu-io", ["-f", format, "-c", `write -P ${pattern} 5G 1M`, name], { cwd });
    return at(name);
  }

  async function convert(source: string): Promise<string> {
    const artifact = convertedDisk(source, windowsDisk, cache);
    const ensured = await ensureArtifacts([artifact], { cache, progress: () => undefined });
    return path.join(ensured.path(artifact), convertedDiskName);
  }

  const made = (): string[] => readdirSync(cache.entriesFolder);

  for (const [name, format, called] of [
    ["a.vhd", "vpc", "VHD"],
    ["a.vhdx", "vhdx", "VHDX"],
  ] as const) {
    it(`is the same disk afterwards, as qcow2, for its owner alone: ${name}`, async () => {
      const source = await makeDisk(name, format);
      assert.equal(diskFormatOf(source), called);
      const disk = await convert(source);
      assert.equal(diskFormatOf(disk), "qcow2");
      assert.equal(statSync(disk).mode & 0o777, 0o600);
      await execa("qemu-img", ["compare", "-q", "-f", format, "-F", "qcow2", source, disk]);
    });
  }

  it("is converted once, and again when its content is another one", async () => {
    const source = await makeDisk("a.vhdx", "vhdx");
    const disk = await convert(source);
    const { mtimeMs } = statSync(disk);
    assert.equal(await convert(source), disk);
    assert.equal(statSync(disk).mtimeMs, mtimeMs);
    await makeDisk("a.vhdx", "vhdx", "0x33");
    assert.notEqual(await convert(source), disk);
    // Machines may stand on the first one.
    assert.equal(made().length, 2);
  });

  it("is refused when it is cut off, and leaves nothing behind", async () => {
    const source = await makeDisk("cut.vhdx", "vhdx");
    truncateSync(source, 64 * 1024);
    await assert.rejects(
      convert(source),
      /cut\.vhdx can't be looked at: |cut\.vhdx can't be converted: /,
    );
    assert.deepEqual(made(), []);
    assert.deepEqual(readdirSync(cache.buildingFolder), []);
  });

  it("is refused with the need where there is no room, before anything is converted", async () => {
    const source = await makeDisk("large.vhdx", "vhdx");
    // It says what qemu-img would of a disk that is full, and can't convert.
    const info = { format: "vhdx", "virtual-size": 2 ** 50, "actual-size": 2 ** 50 };
    writeFileSync(at("qemu-img"), `#!/bin/sh\n[ "$1" = info ] && echo '${JSON.stringify(info)}'\n`);
    chmodSync(at("qemu-img"), 0o755);
    const { PATH } = process.env;
    process.env.PATH = `${at()}:${PATH}`;
    try {
      await assert.rejects(
        convert(source),
        /has [\d.]+ GiB free, and converting \S+large\.vhdx takes 1048576\.0 GiB\. Make room \(/,
      );
    } finally {
      process.env.PATH = PATH;
    }
    assert.deepEqual(made(), []);
    assert.deepEqual(readdirSync(cache.buildingFolder), []);
  });

  it("that was being written to is refused", async () => {
    const source = await makeDisk("busy.vhdx", "vhdx");
    const work = ensureArtifacts([convertedDisk(source, windowsDisk, cache)], {
      cache,
      // The line that comes before the conversion.
      progress: (line) => {
        if (line.includes("converts")) appendFileSync(source, "\0");
      },
    });
    await assert.rejects(work, /busy\.vhdx was written to while it was converted/);
    assert.deepEqual(made(), []);
  });

  it("is read whole only when it is another file", async () => {
    const file = at("large");
    writeFileSync(file, "one");
    const first = await digestOfFile(file, cache);
    const [note = ""] = readdirSync(at("cache/digests"));
    // A note that is trusted shows in what comes back.
    const { size, mtimeMs, ino } = statSync(file);
    const noted = "0".repeat(64);
    writeFileSync(
      at(`cache/digests/${note}`),
      JSON.stringify({ size, mtimeMs, ino, sha256: noted }),
    );
    assert.equal(await digestOfFile(file, cache), noted);
    writeFileSync(at(`cache/digests/${note}`), "{");
    assert.equal(await digestOfFile(file, cache), first);
    writeFileSync(file, "another");
    assert.notEqual(await digestOfFile(file, cache), first);
  });

  it("is known by its marks, not by its name", () => {
    writeFileSync(at("a.vhdx"), "QFI\xfb and so on", "latin1");
    writeFileSync(at("b.vhd"), "conectix");
    assert.equal(diskFormatOf(at("a.vhdx")), "qcow2");
    assert.equal(diskFormatOf(at("b.vhd")), undefined);
    for (const name of ["a.vhdx", "b.vhd", "gone", "."]) {
      assert.equal(mustBeConverted(at(name)), false, name);
    }
  });
});
