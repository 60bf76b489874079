import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  folderHash,
  remoteStepsFolder,
  stepsSource,
} from "../../../components/windows/steps-folder.ts";

const made: string[] = [];

function folder(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(path.join(tmpdir(), "kindows-steps-"));
  made.push(root);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), content);
  }
  return root;
}

describe("hash of the steps folder", () => {
  const files = { "A.ps1": "a", "lib/B.ps1": "b" };
  const original = folderHash(folder(files));

  after(() => made.forEach((root) => rmSync(root, { recursive: true })));

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
