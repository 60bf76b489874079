import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline/promises";
import { projectRoot } from "../../../toolchain/project.ts";
import { newFolder } from "../new-folder.ts";

describe("what CI runs", () => {
  it("ends with it, even if it is killed", async () => {
    const folder = newFolder();
    const script = path.join(folder, ".ci/run");
    mkdirSync(path.dirname(script));
    copyFileSync(path.join(projectRoot, ".ci/run"), script);
    const files = {
      Makefile: "dependencies engine prepare:\n\t:\n\ntest:\n\tnode test.cjs\n",
      "test.cjs": "console.log('begun'); setTimeout(() => console.log('outlived it'), 3000);",
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
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
