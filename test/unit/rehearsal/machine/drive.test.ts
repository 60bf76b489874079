import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Drive } from "../../../../rehearsal/machine/drive.ts";
import { WindowsPathError } from "../../../../rehearsal/machine/windows-path.ts";
import { nodeFiles } from "../../../../rehearsal/windows/linux-files.ts";
import { newFolder } from "../../new-folder.ts";

describe("Drive C:", () => {
  let outside: string;
  let drive: Drive;

  beforeEach(async () => {
    outside = newFolder();
    await mkdir(join(outside, "c"));
    await writeFile(join(outside, "secret"), "outside");
    drive = new Drive(join(outside, "c"), true);
  });

  it("finds names without regard to case and keeps the case they were made with", async () => {
    await drive.write("C:\\Windows\\System32\\Drivers\\etc\\hosts", "x");
    assert.equal(await drive.readText("c:/windows/SYSTEM32/drivers/ETC/HOSTS"), "x");
    await drive.write("C:\\windows\\new.txt", "y");
    assert.deepEqual((await readdir(join(outside, "c/Windows"))).sort(), ["System32", "new.txt"]);
    assert.equal(await drive.display("c:/WINDOWS/system32"), "C:\\Windows\\System32");
  });

  for (const target of ["../secret", "..", "/", "../c-not"]) {
    it(`does not follow a link to ${target}`, async () => {
      await mkdir(join(outside, "c-not"));
      await symlink(target, join(outside, "c/link"));
      await assert.rejects(drive.read("C:\\link"), WindowsPathError);
      await assert.rejects(drive.read("C:\\link\\secret"), WindowsPathError);
      await assert.rejects(drive.write("C:\\link\\new", "x"), WindowsPathError);
    });
  }

  for (const path of [
    "D:\\x",
    "\\\\server\\share",
    "C:\\a*",
    "C:\\file.txt:stream",
    "C:\\x\\CON.txt",
  ]) {
    it(`has no ${path}`, () => assert.rejects(drive.read(path), WindowsPathError));
  }

  it("follows a link that stays on the drive", async () => {
    await drive.write("C:\\real\\x", "inside");
    await symlink("real", join(outside, "c/alias"));
    assert.equal(await drive.readText("C:\\ALIAS\\x"), "inside");
  });

  it("does not remove itself", async () => {
    await assert.rejects(drive.remove("C:\\"), /Access is denied/);
  });
});

describe("A copy that is a second name of a file", () => {
  let folder: string;
  beforeEach(() => {
    folder = newFolder();
    writeFileSync(join(folder, "medium"), "one");
    writeFileSync(join(folder, "program"), "older");
  });

  const files = nodeFiles("/");
  const at = (name: string): string => join(folder, name);
  const copy = (): unknown => files.copy(at("medium"), at("program"));

  it("takes no room, and may be made again", async () => {
    await copy();
    await copy();
    assert.equal(statSync(at("program")).ino, statSync(at("medium")).ino);
    assert.throws(() => files.copy(at("none"), at("program")), /Could not find file/);
    assert.equal(readFileSync(at("program"), "utf8"), "one");
  });

  const changes: Readonly<Record<string, () => unknown>> = {
    "written whole": () => files.write(at("program"), Buffer.from("two")),
    "written in place": async () => {
      const options = { mode: "Open", access: "ReadWrite", share: "None" } as const;
      const handle = await files.open(at("program"), options);
      await handle.write(Buffer.from("two"));
      handle.close();
    },
    "given another time": () => files.setModified(at("program"), 1000),
  };
  for (const [how, change] of Object.entries(changes)) {
    it(`leaves the other name alone when it is ${how}`, async () => {
      await copy();
      const before = statSync(at("medium")).mtimeMs;
      await change();
      assert.equal(readFileSync(at("medium"), "utf8"), "one");
      assert.equal(statSync(at("medium")).mtimeMs, before);
      assert.notEqual(statSync(at("program")).ino, statSync(at("medium")).ino);
    });
  }
});
