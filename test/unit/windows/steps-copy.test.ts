import assert from "node:assert/strict";
import { appendFileSync, cpSync, readFileSync } from "node:fs";
import { mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { extract, list } from "tar";

import { stageHome } from "../../../components/windows/stage-home.ts";
import { stepFolders } from "../../../components/windows/step-folders.ts";
import { filesHash } from "../../../components/node/folder-hash.ts";
import { stepsSource } from "../../../components/node/steps-folder.ts";
import {
  exportNodeLog,
  nodeScripts,
  scriptsOfCommands,
} from "../../../components/windows/steps.ts";
import { eachCase } from "../each-case.ts";
import { inNewFolder } from "../new-folder.ts";
import { steps, withDotSourced } from "./step-scripts.ts";

const every = [...nodeScripts.keys()];
/** No resource runs them: they lie where they always lie. */
const unnamed = scriptsOfCommands.map(({ name }) => name);
const named = every.filter((step) => !unnamed.includes(step));

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
    for (const step of unnamed) assert.equal(folders.get(step)?.name, step);
    for (const [step, { name }] of folders)
      assert.equal(before.get(step), name, "in another clone");
  });

  for (const script of steps) {
    it(`have for ${script.name} all that it dot-sources, as it is`, () => {
      const { files } = folders.get(script.name) ?? assert.fail("no folder");
      assert.deepEqual(
        [...files.keys()].sort(),
        [
          ...withDotSourced(script).map(({ file }) => file),
          // LogFiles.ps1 and NodeTraces.ps1 read them.
          ...(script.name === exportNodeLog.name ? ["lib/SecretPatterns.json"] : []),
          ...(script.name === "Reset-Node" ? ["lib/NodeFolders.json"] : []),
        ].sort(),
      );
      for (const [file, content] of files) {
        assert.deepEqual(content, readFileSync(path.join(stepsSource, file)));
      }
    });
  }

  const edits: readonly (readonly [string, readonly string[]])[] = [
    ["Join-Node.ps1", ["Join-Node"]],
    ["Install-Kubernetes.ps1", ["Install-Kubernetes"]],
    ...unnamed.map((step) => [`${step}.ps1`, []] as const),
    ["lib/KubeadmJoin.ps1", ["Join-Node"]],
    ["lib/NameResolution.ps1", ["Set-HostsEntry", "Reset-Node"]],
    // By way of ExternalNetworkTask.ps1 as well.
    [
      "lib/Flannel.ps1",
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
});

describe("hash of files", () => {
  const hash = (files: Readonly<Record<string, string>>): string =>
    filesHash(new Map(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)])));
  const files = { "A.ps1": "a", "lib/B.ps1": "b" };

  it("is the same in whatever order they are read", () =>
    assert.equal(hash({ "lib/B.ps1": "b", "A.ps1": "a" }), hash(files)));

  const changes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    "an edited file": { ...files, "A.ps1": "a " },
    "a moved file": { "A.ps1": "a", "B.ps1": "b" },
    "a file more": { ...files, "C.ps1": "" },
    "a file less": { "A.ps1": "a" },
    "bytes moved between files": { "A.ps1": "ab", "lib/B.ps1": "" },
    "other line ends": { ...files, "A.ps1": "a\r\n" },
  };
  eachCase("changes with %s", changes, (other) => assert.notEqual(hash(other), hash(files)));
});

function namesIn(archive: string): readonly string[] {
  const names: string[] = [];
  list({ file: archive, sync: true, onReadEntry: ({ path }) => names.push(path) });
  return names;
}

describe("what a machine is brought, written to be copied", () => {
  const folder = (name: string, text: string) => ({
    name,
    files: new Map([
      ["A.ps1", Buffer.from(text)],
      ["lib/B.ps1", Buffer.from("b")],
    ]),
  });

  const home = process.cwd();

  const stage = (...folders: ReturnType<typeof folder>[]) => stageHome("home", folders).folder;

  beforeEach(async () => {
    process.chdir(inNewFolder()());
    await mkdir("home/steps", { recursive: true });
    await writeFile("home/steps/README.txt", "scripts");
  });
  afterEach(() => process.chdir(home));

  it("is the folder as it shall lie there, the steps in one archive, and nothing besides", async () => {
    const staged = stageHome("home", [folder("A-1", "a"), folder("C-2", "c")]);
    assert.match(staged.folder, /^\.kindows\/steps\/[0-9a-f]{12}$/);
    const steps = path.join(staged.folder, "steps");
    assert.deepEqual((await readdir(steps)).sort(), [staged.archive, "README.txt"].sort());
    assert.deepEqual(namesIn(path.join(steps, staged.archive)), [
      "A-1/A.ps1",
      "A-1/lib/B.ps1",
      "C-2/A.ps1",
      "C-2/lib/B.ps1",
    ]);
    extract({ file: path.join(steps, staged.archive), sync: true });
    assert.equal(await readFile("A-1/A.ps1", "utf8"), "a");
    assert.equal(await readFile("C-2/lib/B.ps1", "utf8"), "b");
    assert.deepEqual(await readdir(".kindows/steps"), [path.basename(staged.folder)]);
  });

  it("is the same bytes when it is written again", async () => {
    const { folder: staged, archive } = stageHome("home", [folder("A-1", "a")]);
    const file = path.join(staged, "steps", archive);
    const before = await readFile(file);
    await rm(".kindows", { recursive: true });
    stageHome("home", [folder("A-1", "a")]);
    assert.deepEqual(await readFile(file), before);
  });

  it("is at the same place for the same, and at another for other", async () => {
    const staged = stage(folder("A-1", "a"));
    assert.equal(stage(folder("A-1", "a")), staged);
    assert.notEqual(stage(folder("A-1", "b")), staged);
    assert.notEqual(stage(folder("A-2", "a")), staged);
    await writeFile("home/steps/README.txt", "other");
    assert.notEqual(stage(folder("A-1", "a")), staged);
  });

  it("goes when it is of yesterday, and stays while another run may copy it", async () => {
    const old = stage(folder("A-1", "old"));
    const recent = stage(folder("A-1", "recent"));
    const before = Date.now() / 1000 - 25 * 3600;
    await utimes(old, before, before);
    // What a killed run left half written.
    await mkdir(`${old}-killed`);
    await utimes(`${old}-killed`, before, before);
    const now = stage(folder("A-1", "now"));
    assert.deepEqual(
      (await readdir(".kindows/steps")).sort(),
      [recent, now].map((each) => path.basename(each)).sort(),
    );
  });
});
