import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline/promises";
import { execa } from "execa";
import { projectRoot } from "../../../toolchain/project.ts";
import { newFolder } from "../new-folder.ts";

/** A clone with what CI runs and these files. @returns the script's path */
function cloneWith(files: Readonly<Record<string, string>>): string {
  const folder = newFolder();
  const script = path.join(folder, ".ci/run");
  mkdirSync(path.dirname(script));
  copyFileSync(path.join(projectRoot, ".ci/run"), script);
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return script;
}

describe("what CI runs", () => {
  it("ends with the sums of its suites, and says which labs were not run", async () => {
    const phases = "dependencies engine prepare test test-powershell:\n\t@echo '  2 passing'\n\n";
    const lab = "the lab with Calico, because there are no images";
    const script = cloneWith({
      Makefile: `${phases}e2e:\n\t@echo '      NOT RUN: ${lab}'\n\t@echo '  3 passing'\n`,
    });
    const { stdout } = await execa(script, [], { env: { KINDOWS_CACHE: newFolder() } });
    assert.match(stdout, new RegExp(`\n[57] passed, 0 failed; NOT RUN: ${lab}$`));
  });

  it("ends with it, even if it is killed", async () => {
    const script = cloneWith({
      Makefile: "dependencies engine prepare:\n\t:\n\ntest:\n\tnode test.cjs\n",
      "test.cjs": "console.log('begun'); setTimeout(() => console.log('outlived it'), 3000);",
    });
    const running = spawn(script, { stdio: ["ignore", "pipe", "ignore"] });
    const said: string[] = [];
    for await (const line of createInterface(running.stdout)) {
      said.push(line);
      if (line === "begun") running.kill("SIGKILL");
    }
    assert.ok(said.includes("begun"));
    assert.ok(!said.includes("outlived it"));
  });
});
