import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { writeScripts } from "../../../cli/commands/image-scripts.ts";

describe("scripts that seal a disk of one's own", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), "kindows-seal-"));
  });
  after(() => rmSync(folder, { recursive: true }));

  it("are all there, with what each takes from beside it, and the answer file", async () => {
    const into = path.join(folder, "new", "seal");
    assert.equal(await writeScripts({ folder: into, language: "de-DE" }), 0);
    for (const script of readdirSync(into).filter((name) => name.endsWith(".ps1"))) {
      const text = readFileSync(path.join(into, script), "utf8");
      for (const [, taken = ""] of text.matchAll(/^\. \(Join-Path \$PSScriptRoot '([^']+)'\)$/gm)) {
        assert.ok(existsSync(path.join(into, taken.replace("\\", "/"))), `${script}: ${taken}`);
      }
    }
    assert.ok(existsSync(path.join(into, "Complete-Image.ps1")));
    assert.match(readFileSync(path.join(into, "sealed.xml"), "utf8"), /<UILanguage>de-DE</);
  });

  it("are not written for a language that is none", async () => {
    await assert.rejects(
      writeScripts({ folder: path.join(folder, "x"), language: "German" }),
      /^Failure: --language: "German" .*en-US\.$/,
    );
    assert.equal(existsSync(path.join(folder, "x")), false);
  });

  it("are not mixed with what somebody else put there", async () => {
    await assert.rejects(writeScripts({ folder, language: "en-US" }), /is not empty/);
  });
});
