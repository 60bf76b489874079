import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { mkdir, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Drive } from "../../../rehearsal/host/drive.ts";
import {
  formatWindowsPath,
  WindowsPathError,
  windowsPathNames,
} from "../../../rehearsal/host/windows-path.ts";
import { withLinkedCopies } from "../../../rehearsal/windows/linked-copies.ts";
import { nodeFiles } from "../../../rehearsal/windows/linux-files.ts";
import { newFolder } from "../new-folder.ts";

const home = ["Users", "Administrator"];

const accepted: readonly (readonly [path: string, expected: string])[] = [
  ["C:\\k\\kubelet.exe", "C:\\k\\kubelet.exe"],
  ["C:/k/kubelet.exe", "C:\\k\\kubelet.exe"],
  ["/C:/k/kubelet.exe", "C:\\k\\kubelet.exe"],
  ["c:\\K", "C:\\K"],
  ["C:", "C:\\"],
  ["/C:", "C:\\"],
  ["/", "C:\\"],
  ["\\k", "C:\\k"],
  ["", "C:\\Users\\Administrator"],
  [".", "C:\\Users\\Administrator"],
  ["x.txt", "C:\\Users\\Administrator\\x.txt"],
  ["..\\Public", "C:\\Users\\Public"],
  ["../../../../etc/passwd", "C:\\etc\\passwd"],
  ["C:\\..\\..\\etc\\shadow", "C:\\etc\\shadow"],
  ["/C:/a//b/./c/", "C:\\a\\b\\c"],
  ["C:\\name. .", "C:\\name"],
  ["C:\\console\\com10", "C:\\console\\com10"],
];

const refused: readonly string[] = [
  "D:\\x",
  "/D:/x",
  "z:",
  "\\\\server\\share",
  "//server/share",
  "\\\\?\\C:\\x",
  "\\\\.\\pipe\\containerd-containerd",
  "C:\\a?b",
  "C:\\a*",
  "C:\\a|b",
  'C:\\a"b',
  "C:\\a<b",
  "C:\\a\u0000b",
  "C:\\a\nb",
  "C:\\file.txt:stream",
  "C:\\nul",
  "C:\\x\\CON.txt",
  "C:\\lpt1",
  "C:\\...",
  `C:\\${"x".repeat(256)}`,
];

describe("Windows paths", () => {
  for (const [path, expected] of accepted) {
    it(`reads ${JSON.stringify(path)}`, () => {
      assert.equal(formatWindowsPath(windowsPathNames(path, home)), expected);
    });
  }

  for (const path of refused) {
    it(`refuses ${JSON.stringify(path).slice(0, 40)}`, () => {
      assert.throws(() => windowsPathNames(path, home), WindowsPathError);
    });
  }
});

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

  it("says that what is not there is not there", async () => {
    assert.equal(await drive.read("C:\\none\\x"), undefined);
    assert.equal(await drive.isFile("C:\\none"), false);
    await drive.write("C:\\file", "");
    assert.equal(await drive.read("C:\\file\\below"), undefined);
    assert.equal(await drive.isFolder("C:\\file"), false);
    assert.equal(await drive.remove("C:\\none"), false);
  });

  it("writes whole files, secret ones for their owner only", async () => {
    await drive.write("C:\\a\\public", "1");
    await drive.write("C:\\a\\secret", "2", true);
    assert.equal((await stat(join(outside, "c/a/secret"))).mode & 0o777, 0o600);
    assert.deepEqual((await readdir(join(outside, "c/a"))).sort(), ["public", "secret"]);
  });

  it("flushes what is below a folder, whatever that is, and nothing where there is none", async () => {
    await drive.write("C:\\k\\pki\\key", "x", true);
    await symlink("/nonexistent", join(outside, "c/k/broken"));
    await drive.flush("C:\\k");
    await drive.flush("C:\\none");
    assert.equal(await drive.readText("C:\\k\\pki\\key"), "x");
  });

  it("reads text without a byte order mark", async () => {
    await drive.write("C:\\bom.txt", "\uFEFFtext");
    assert.equal(await drive.readText("C:\\bom.txt"), "text");
  });

  const links: readonly (readonly [name: string, target: string])[] = [
    ["a file outside", "../secret"],
    ["the folder outside", ".."],
    ["the Linux root", "/"],
    ["a folder whose name begins like the drive's", "../c-not"],
  ];
  for (const [name, target] of links) {
    it(`does not follow a link to ${name}`, async () => {
      await mkdir(join(outside, "c-not"));
      await symlink(target, join(outside, "c/link"));
      await assert.rejects(drive.read("C:\\link"), WindowsPathError);
      await assert.rejects(drive.read("C:\\link\\secret"), WindowsPathError);
      await assert.rejects(drive.write("C:\\link\\new", "x"), WindowsPathError);
    });
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

  const files = withLinkedCopies(nodeFiles("/"));
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
