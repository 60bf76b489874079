import assert from "node:assert/strict";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { stepFolders } from "../../../components/windows/step-folders.ts";
import { exportNodeLog, nodeScripts } from "../../../components/windows/steps.ts";
import {
  folderHash,
  remoteStepsFolder,
  stepsSource,
} from "../../../components/windows/steps-folder.ts";
import { scripts, steps, withDotSourced } from "./step-scripts.ts";
import { inNewFolder } from "../new-folder.ts";

const every = [...nodeScripts.keys()];
/** No resource runs it: it lies where it always lies. */
const unnamed = exportNodeLog.name;
const named = every.filter((step) => step !== unnamed);

/** Names of the folders when one file of the source has a byte more. */
function afterEdit(file?: string): Map<string, string> {
  const at = inNewFolder();
  cpSync(stepsSource, at(), { recursive: true });
  if (file !== undefined) appendFileSync(at(file), " ");
  return new Map([...stepFolders(at())].map(([step, { name }]) => [step, name]));
}

describe("the folders of the steps", () => {
  const folders = stepFolders(stepsSource);
  const before = afterEdit();

  it("are one for each step, named by it and by a hash", () => {
    assert.deepEqual([...folders.keys()], every);
    for (const step of named) {
      assert.match(folders.get(step)?.name ?? "", new RegExp(`^${step}-[0-9a-f]{12}$`));
    }
    assert.equal(folders.get(unnamed)?.name, unnamed);
  });

  for (const script of steps) {
    it(`have for ${script.name} all that it dot-sources, as it is`, () => {
      const { files } = folders.get(script.name) ?? assert.fail("no folder");
      assert.deepEqual(
        [...files.keys()].sort(),
        withDotSourced(script)
          .map(({ file }) => file)
          .sort(),
      );
      for (const [file, content] of files) {
        assert.deepEqual(content, readFileSync(path.join(stepsSource, file)));
      }
    });
  }

  it("have what a task dot-sources by itself later", () => {
    const { files } = folders.get("Add-ExternalNetwork") ?? assert.fail("no folder");
    for (const name of ["Step.ps1", "NativeCommand.ps1", "ExternalNetworkTask.ps1"]) {
      assert.ok(files.has(`lib/${name}`), name);
    }
  });

  const edits: readonly (readonly [string, readonly string[]])[] = [
    ["Join-Node.ps1", ["Join-Node"]],
    ["Install-Kubernetes.ps1", ["Install-Kubernetes"]],
    [`${unnamed}.ps1`, []],
    ["lib/KubeadmJoin.ps1", ["Join-Node"]],
    ["lib/HostsFile.ps1", ["Set-HostsEntry", "Reset-Node"]],
    // By way of FlannelNetwork.ps1 as well.
    [
      "lib/FlanneldService.ps1",
      ["Install-Flannel", "Add-ExternalNetwork", "Confirm-ExternalNetwork", "Join-Node"],
    ],
    ["lib/Step.ps1", named],
  ];
  for (const [file, moved] of edits) {
    it(`move with an edited ${file}: ${moved.length === named.length ? "all" : moved.join(", ") || "none"}`, () => {
      const after = afterEdit(file);
      const found = every.filter((step) => after.get(step) !== before.get(step)).sort();
      assert.deepEqual(found, [...moved].sort());
    });
  }

  it("leave no part of the library out", () => {
    const used = new Set([...folders.values()].flatMap(({ files }) => [...files.keys()]));
    const wrong = scripts.map(({ file }) => file).filter((file) => !used.has(file));
    assert.deepEqual(wrong, []);
  });
});

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
    it(`changes with ${what}`, () => assert.notEqual(folderHash(folder(other)), original));
  }

  it("names the folder on the machine", () =>
    assert.deepEqual(remoteStepsFolder("0123456789ab"), {
      sftpPath: "C:/kindows/steps/0123456789ab",
      windowsPath: "C:\\kindows\\steps\\0123456789ab",
    }));
});
