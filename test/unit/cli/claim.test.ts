import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { labsElsewhere } from "../../../cli/lab/claim.ts";
import { projectRoot } from "../../../toolchain/project.ts";
import { eachCase } from "../each-case.ts";
import { newFolder } from "../new-folder.ts";

describe("a lab that another clone runs", () => {
  const before = process.env["KINDOWS_CACHE"];
  const clone = newFolder();
  const lab = "kindows-e2e";
  after(() => {
    if (before === undefined) delete process.env["KINDOWS_CACHE"];
    else process.env["KINDOWS_CACHE"] = before;
  });

  /** The claim in the cache, and labs of which this clone has a state. */
  const cases: Readonly<
    Record<string, readonly [claim: object | undefined, here: readonly string[], theirs: boolean]>
  > = {
    "is known by its claim": [{ project: clone, stack: "e2e" }, [], true],
    "is theirs also where this clone has an empty state of that name": [
      { project: clone, stack: "e2e" },
      [lab],
      true,
    ],
    "is not another stack's of this clone": [{ project: projectRoot, stack: "e2e" }, [lab], false],
    "is nobody's without a claim": [undefined, [lab], false],
    "is nobody's when the clone is gone": [{ project: "/nowhere", stack: "e2e" }, [], false],
  };
  eachCase("%s", cases, async ([claim, here, theirs]) => {
    const cache = newFolder();
    process.env["KINDOWS_CACHE"] = cache;
    mkdirSync(path.join(clone, ".kindows/state"), { recursive: true });
    mkdirSync(path.join(cache, "labs"));
    if (claim) writeFileSync(path.join(cache, "labs", `${lab}.json`), JSON.stringify(claim));
    const found = await labsElsewhere([lab], new Set(here), "rehearsal");
    assert.deepEqual([...found], theirs ? [[lab, clone]] : []);
  });
});
