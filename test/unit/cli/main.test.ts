import assert from "node:assert/strict";
import { execa } from "execa";

import { projectRoot } from "../../../toolchain/project.ts";

describe("a command as a process", () => {
  const cases: Readonly<Record<string, readonly [code: number, says: RegExp]>> = {
    "image prune --help": [0, /--dry-run/],
    "image prune --now": [2, /^error: unknown option '--now'/],
    "conformance --dry-run --suite all": [2, /^kindows: there is no suite "all": write one of /],
    "conformance --stack rehearsal": [1, /^kindows: conformance needs a real Windows node/],
  };
  for (const [line, [code, says]] of Object.entries(cases)) {
    it(`kindows ${line} ends with ${code}`, async () => {
      const args = ["--import", "tsx", "cli/main.ts", ...line.split(" ")];
      const options = { cwd: projectRoot, reject: false, all: true } as const;
      const { exitCode, all } = await execa(process.execPath, args, options);
      assert.equal(exitCode, code);
      assert.match(all, says);
    });
  }
});
