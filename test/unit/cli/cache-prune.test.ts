import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

import { removeStaleDownloads } from "../../../cli/cache/prune.ts";
import { Cache } from "../../../toolchain/cache.ts";

const now = new Date("2026-11-21T12:00:00Z");
const day = 24 * 3600;

describe("kindows cache prune", () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(path.join(os.tmpdir(), "kindows-prune-"));
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  const cases: readonly (readonly [
    what: string,
    file: string,
    age: number,
    days: number,
    goes: boolean,
  ])[] = [
    ["an old part", "0a.part", 31 * day, 30, true],
    ["an old wrong file", "wrong/0a-kubelet.exe", 31 * day, 30, true],
    ["a younger part", "0a.part", 29 * day, 30, false],
    ["any part when all shall go", "0a.part", 61, 0, true],
    ["no part that is being written, even then", "0a.part", 1, 0, false],
  ];
  for (const [what, name, age, days, goes] of cases) {
    it(`${goes ? "removes" : "spares"} ${what}`, async () => {
      const cache = new Cache(root);
      const file = path.join(cache.downloadsFolder, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, "12345");
      utimesSync(file, now, new Date(now.getTime() - age * 1000));
      assert.equal(await removeStaleDownloads(cache, days, now), goes ? 5 : 0);
      assert.equal(existsSync(file), !goes);
    });
  }

  it("has nothing to do where nothing was ever downloaded", async () => {
    assert.equal(await removeStaleDownloads(new Cache(root), 0, now), 0);
  });
});
