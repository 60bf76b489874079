import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { execa } from "execa";
import { bundleGuestProgram } from "../../../rehearsal/image/guest-program.ts";
import { inNewFolder } from "../new-folder.ts";

/** Where the guest's program has its files: itself, and who the machine is. */
const guestFolders = /\/opt\/kindows|\/run\/identity/g;

describe("the guest's program, as the image has it", () => {
  it("starts, freshly compiled and as it was compiled before, and goes on to the identity disk", async () => {
    const at = inNewFolder();
    await bundleGuestProgram(at());
    for (const name of ["start.js", "main.js"]) {
      writeFileSync(at(name), readFileSync(at(name), "utf8").replace(guestFolders, at()));
    }
    for (const wasCompiled of [false, true]) {
      assert.equal(existsSync(at("main.compiled")), wasCompiled);
      const guest = execa(process.execPath, [at("start.js")], {
        ...({ all: true, reject: false, timeout: 60_000 } as const),
      });
      let said = "";
      for await (const line of guest.iterable({ from: "all" })) {
        said += `${line}\n`;
        // It would try again in ten seconds.
        if (line.includes("can't serve")) guest.kill();
      }
      assert.match(said, /can't serve: ENOENT: no such file or directory, open '.*\/user-data'\n$/);
      assert.equal((await guest).exitCode, 0);
    }
  });
});
