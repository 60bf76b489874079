import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { checkReportFiles, writeReportFiles } from "../../../../cli/verify/report-files.ts";

describe("files for a run's results", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "kindows-report-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("are all refused at once, before the run, where they could not be written", async () => {
    await mkdir(path.join(folder, "taken"));
    const files = {
      json: path.join(folder, "fine.json"),
      junit: path.join(folder, "missing", "junit.xml"),
      html: path.join(folder, "taken"),
    };
    await assert.rejects(checkReportFiles(files), (error: Error) => {
      assert.equal(error.name, "Failure");
      assert.equal(
        error.message,
        `--junit ${files.junit}: there is no folder ${folder}/missing: make it first\n` +
          `--html ${files.html}: it is a folder: name a file`,
      );
      return true;
    });
  });

  it("are written each in its own format", async () => {
    const files = {
      json: path.join(folder, "a"),
      junit: path.join(folder, "b"),
      html: path.join(folder, "c"),
    };
    await checkReportFiles(files);
    const verification = {
      stack: "rehearsal",
      lab: "kindows-rehearsal",
      rehearsal: true,
      nodes: [],
      started: new Date(0),
      seconds: 1,
      results: [],
    };
    assert.deepEqual(await writeReportFiles(files, verification), Object.values(files));
    assert.match(await readFile(files.json, "utf8"), /^\{\n {2}"stack": "rehearsal"/);
    assert.match(await readFile(files.junit, "utf8"), /^<\?xml version="1\.0"/);
    assert.match(await readFile(files.html, "utf8"), /^<!doctype html>/);
  });

  it("are none where none was asked for", async () => {
    await checkReportFiles({});
  });
});
