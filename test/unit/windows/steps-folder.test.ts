import assert from "node:assert/strict";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import {
  folderHash,
  remoteStepsFolder,
  stepsSource,
} from "../../../components/windows/steps-folder.ts";
import { inNewFolder } from "../new-folder.ts";

function folder(files: Readonly<Record<string, string>>): string {
  const at = inNewFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), content);
  }
  return at();
}

describe("hash of the steps folder", () => {
  const files = { "A.ps1": "a", "lib/B.ps1": "b" };
  const original = folderHash(folder(files));

  it("has 12 hexadecimal digits, for the real folder too", () => {
    assert.match(original, /^[0-9a-f]{12}$/);
    assert.match(folderHash(stepsSource), /^[0-9a-f]{12}$/);
  });

  it("is the same in another clone: other place, other times, other order of making", () => {
    const clone = folder({ "lib/B.ps1": "b", "A.ps1": "a" });
    utimesSync(path.join(clone, "A.ps1"), 0, 0);
    assert.equal(folderHash(clone), original);
  });

  const changes: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ["an edited file", { "A.ps1": "a ", "lib/B.ps1": "b" }],
    ["a renamed file", { "C.ps1": "a", "lib/B.ps1": "b" }],
    ["a moved file", { "A.ps1": "a", "B.ps1": "b" }],
    ["a file more", { ...files, "C.ps1": "" }],
    ["a file less", { "A.ps1": "a" }],
    ["bytes moved between files", { "A.ps1": "ab", "lib/B.ps1": "" }],
    ["other line ends", { "A.ps1": "a\r\n", "lib/B.ps1": "b" }],
  ];
  for (const [what, other] of changes) {
    it(`changes with ${what}`, () => {
      assert.notEqual(folderHash(folder(other)), original);
    });
  }

  it("names the folder on the machine", () => {
    assert.deepEqual(remoteStepsFolder("0123456789ab"), {
      sftpPath: "C:/kindows/steps/0123456789ab",
      windowsPath: "C:\\kindows\\steps\\0123456789ab",
    });
  });
});
