import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodeFiles } from "../../../rehearsal/windows/linux-files.ts";
import { withLinkedCopies } from "../../../rehearsal/windows/linked-copies.ts";
import { newFolder } from "../new-folder.ts";

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
