import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { execa } from "execa";

import { writeWhole } from "../../../host/write-whole.ts";
import { inNewFolder } from "../new-folder.ts";

const module = path.resolve("host/write-whole.ts");

describe("a file that is written whole", () => {
  const at = inNewFolder();

  it("stays as it was where there is no room, and nothing is left beside it", async () => {
    writeWhole(at("a/state.json"), "old");
    // No file may grow, as on a full disk; the signal about it is ignored.
    const script = `import { writeWhole } from ${JSON.stringify(module)}; writeWhole(${JSON.stringify(at("a/state.json"))}, "new");`;
    const command =
      'trap "" XFSZ; ulimit -f 0; exec "$0" --import tsx --input-type=module --eval "$1"';
    const { stderr, failed } = await execa("sh", ["-c", command, process.execPath, script], {
      reject: false,
      env: { TSX_DISABLE_CACHE: "1" },
    });
    assert.ok(failed);
    assert.match(stderr, /EFBIG/);
    assert.equal(readFileSync(at("a/state.json"), "utf8"), "old");
    assert.deepEqual(readdirSync(at("a")), ["state.json"]);
  });

  it("has the mode it is given, and so has its folder", () => {
    writeWhole(at("b/secret"), "x", 0o600);
    assert.equal(statSync(at("b/secret")).mode & 0o777, 0o600);
    assert.equal(statSync(at("b")).mode & 0o777, 0o700);
  });
});
