import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { execa } from "execa";
import { examineDisk } from "../../../components/machine/disk/examine-disk.ts";
import { windowsDisk } from "../../../components/windows/image/windows-disk.ts";
import { mediaProblems } from "./media-problems.ts";
import { inNewFolder } from "../new-folder.ts";

describe("examining a prepared disk", () => {
  const at = inNewFolder();
  before(() => make("-f", "qcow2", "good.qcow2", "40G"));
  const make = (...args: readonly string[]): Promise<unknown> =>
    execa("qemu-img", ["create", "-q", ...args], { cwd: at() });

  const problemsOf = (name: string): Promise<string[]> =>
    mediaProblems(examineDisk(at(name), windowsDisk), at());

  it("says what it is", async () => {
    const { format, virtualGiB, actualGiB } = await examineDisk(at("good.qcow2"), windowsDisk);
    assert.deepEqual([format, virtualGiB, actualGiB < 1], ["qcow2", 40, true]);
  });

  for (const [name, format] of [
    ["a.vhd", "vpc"],
    ["a.vhdx", "vhdx"],
  ] as const) {
    it(`takes what can be converted: ${name}`, async () => {
      await make("-f", format, name, "40G");
      const facts = await examineDisk(at(name), windowsDisk);
      assert.equal(facts.format, format);
      assert.ok(Math.abs(facts.virtualGiB - 40) < 0.01, String(facts.virtualGiB));
    });
  }

  const convert = "Convert it: qemu-img convert -O qcow2 OLD NEW.";
  it("says how another format becomes one", async () => {
    await make("-f", "vmdk", "a.vmdk", "40G");
    assert.deepEqual(await problemsOf("a.vmdk"), [
      `a.vmdk is neither qcow2 nor VHD or VHDX, but vmdk. ${convert}`,
    ]);
  });

  it("refuses one that stands on another, and is too small", async () => {
    await make("-f", "qcow2", "base.qcow2", "1G");
    await make("-f", "qcow2", "-b", "base.qcow2", "-F", "qcow2", "top.qcow2");
    assert.deepEqual(await problemsOf("top.qcow2"), [
      "top.qcow2 stands on another image, base.qcow2, which may change under it. Make it whole: qemu-img convert -O qcow2 OLD NEW.",
      "top.qcow2 is a disk of 1.0 GiB, on which no Windows Server fits. Write the path of the disk Windows was installed on.",
    ]);
  });

  it("refuses an encrypted one", async () => {
    await make("-f", "qcow2", "luks.qcow2", "40G");
    // The way of encryption, in the header: 1 is AES.
    await using file = await open(at("luks.qcow2"), "r+");
    await file.write(Buffer.from([0, 0, 0, 1]), 0, 4, 32);
    assert.deepEqual(await problemsOf("luks.qcow2"), [
      "luks.qcow2 is encrypted. Use one that is not.",
    ]);
  });

  it("refuses what is not there, or nonsense", async () => {
    assert.match(
      (await problemsOf("gone.qcow2"))[0] ?? "",
      /^gone\.qcow2 can't be looked at: .*No such file/,
    );
    writeFileSync(at("text.qcow2"), "nonsense");
    assert.deepEqual(await problemsOf("text.qcow2"), [
      `text.qcow2 is neither qcow2 nor VHD or VHDX, but raw. ${convert}`,
      "text.qcow2 is a disk of 0.0 GiB, on which no Windows Server fits. Write the path of the disk Windows was installed on.",
    ]);
  });
});
