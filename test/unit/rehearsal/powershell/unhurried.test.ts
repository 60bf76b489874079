/** A real PowerShell may take as long as a busy machine needs; one that hangs ends, and is not taken for one that is done. */
import assert from "node:assert/strict";
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { mock } from "node:test";
import { setImmediate, setTimeout } from "node:timers/promises";
import { Cut, type Ended, runUnhurried } from "../../../powershell/unhurried.ts";
import { newFolder } from "../../new-folder.ts";

describe("a program that takes as long as it needs", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setInterval"] }));
  afterEach(() => mock.timers.reset());

  const look = (): void => mock.timers.tick(600_000);

  /** Starts a program that says something, makes the file `begun`, and ends with 7 once there is a file `last`. */
  function start(folder: string, writes?: string): Promise<Ended> {
    const script = `
      process.chdir(process.argv[1]);
      process.stdout.write("begun", () => fs.writeFileSync("begun", ""));
      setInterval(() => fs.existsSync("last") && process.exit(7), 20);`;
    return runUnhurried(process.execPath, ["-e", script, folder], {}, writes);
  }

  it("goes on while the file grows that it writes", async () => {
    const folder = newFolder();
    const rows = join(folder, "rows");
    const running = start(folder, rows);
    for (let row = 0; row < 3; row++) {
      appendFileSync(rows, "a row\n");
      look();
    }
    writeFileSync(join(folder, "last"), "");
    assert.equal((await running).exitCode, 7);
  });

  it("goes on while it says something, where it writes no file", async () => {
    const folder = newFolder();
    const running = start(folder);
    while (!existsSync(join(folder, "begun"))) await setTimeout(20);
    // What it has said before is read before this.
    await setImmediate();
    await setImmediate();
    look();
    writeFileSync(join(folder, "last"), "");
    assert.equal((await running).exitCode, 7);
  });

  it("is cut short once the file has not grown, and what it was and said is told", async () => {
    const folder = newFolder();
    const rows = join(folder, "rows");
    const running = start(folder, rows);
    while (!existsSync(join(folder, "begun"))) await setTimeout(20);
    appendFileSync(rows, "a row\n");
    look();
    look();
    await assert.rejects(running, (error: Error) => {
      assert.ok(error instanceof Cut);
      assert.ok(error.message.includes(folder), error.message);
      assert.match(error.message, /it wrote nothing for 600 s\. begun$/);
      return true;
    });
  });

  it("has not ended by itself if a signal ended it", async () => {
    const running = runUnhurried(process.execPath, ["-e", "process.kill(process.pid, 9)"], {});
    await assert.rejects(running, Cut);
  });
});
