import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { functions, imageScripts, nodes, parsePowerShell } from "./step-scripts.ts";

const folder = "test/pester";
const text = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ps1"))
  .map((file) => readFileSync(path.join(folder, file), "utf8"))
  .join("\n");
const root = parsePowerShell(text);
const called = new Set(nodes(root, "command_name").map((name) => name.text));
/** Some are called in scripts that a test writes, to be run by a process of its own. */
const strings = nodes(root, "string_literal").map((literal) => literal.text);
/** Some run on the interpreter instead, one at a time. */
const interpreted = readFileSync("test/unit/windows-image/scripts-run.test.ts", "utf8");

/** Of the scripts for nodes and for Hyper-V hosts the interpreter says how much is run: test/script-coverage.ts. */
describe("the tests of the image's scripts in PowerShell", () => {
  const lacking = `no test in ${folder} does: write one (first run, second run, half done, each failure)`;

  for (const { name } of imageScripts.filter((script) => script.isStep)) {
    it(`run ${name}`, () => assert.ok(text.includes(`& "$ImageFolder/${name}.ps1"`), lacking));
  }
  for (const name of imageScripts.flatMap((script) => [...functions(script).keys()])) {
    it(`call ${name}`, () => {
      const inText = new RegExp(`\\b${name}( -|[;"])`);
      assert.ok(
        [...strings, interpreted].some((each) => inText.test(each)) || called.has(name),
        lacking,
      );
    });
  }

  it("pass", function () {
    const asked = spawnSync("pwsh", ["-NoProfile", "-NonInteractive", "-Command", "exit 0"]);
    if (asked.error !== undefined) this.skip();
    const run = spawnSync(
      "pwsh",
      ["-NoProfile", "-NonInteractive", "-File", `${folder}/Invoke-Tests.ps1`],
      { encoding: "utf8", timeout: 540_000 },
    );
    assert.equal(run.status, 0, `${run.stdout}\n${run.stderr}`);
  });
});
