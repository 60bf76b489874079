import assert from "node:assert/strict";
import { mkdir, readFile, readdir, rm, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { extract, list } from "tar";
import { stageHome } from "../../../components/windows/staged-home.ts";
import { inNewFolder } from "../new-folder.ts";

const folder = (name: string, text: string) => ({
  name,
  files: new Map([
    ["A.ps1", Buffer.from(text)],
    ["lib/B.ps1", Buffer.from("b")],
  ]),
});

/** Names of what is in an archive. */
function namesIn(archive: string): readonly string[] {
  const names: string[] = [];
  list({ file: archive, sync: true, onReadEntry: ({ path }) => names.push(path) });
  return names;
}

describe("what a machine is brought, written to be copied", () => {
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

  it("cannot be written where a file is in the way, and that is said", async () => {
    await mkdir(".kindows");
    await writeFile(".kindows/steps", "");
    assert.throws(() => stage(folder("A-1", "a")), /EEXIST|ENOTDIR/);
  });
});
