import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { repository } from "./documented-commands.ts";

const read = (file: string): string => readFileSync(path.join(repository, file), "utf8");

/** What the product is made of; what builds the rehearsal and tests it is none of it. */
const folders = ["cli", "components", "host", "images", "offline", "toolchain", "verify"];

/** Whether a file calls a loop that tries again, or has one with a pause. */
function polls(file: string): boolean {
  const text = read(file);
  if (/\.(sh|ps1)$/.test(file)) return /Start-Sleep|^\s*sleep \d|^\s*await [\d"$]/m.test(text);
  const loops = /for \(;;\)|while \(/.test(text) && /\b(sleep|pause)\(|\.look\(\)/.test(text);
  return loops || /\b(waitUntil|pRetry)(<[^>]*>)?\(/.test(text);
}

describe("docs/waits.md", () => {
  it("has a row for every file that polls, and for no other", () => {
    const listed = spawnSync("git", ["ls-files", ...folders], {
      cwd: repository,
      encoding: "utf8",
    });
    const files = listed.stdout.split("\n").filter((file) => /\.(ts|sh|ps1)$/.test(file));
    assert.ok(files.length > 300);
    const rows = [...read("docs/waits.md").matchAll(/^\| `([^`]+)`/gm)].map(([, file = ""]) =>
      existsSync(path.join(repository, file)) ? file : `components/${file}`,
    );
    assert.deepEqual(rows.toSorted(), files.filter(polls).toSorted());
  });
});
