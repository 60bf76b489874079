import assert from "node:assert/strict";

import { touchedStacks } from "../../../../cli/preview-diff/git.ts";

const stacks = ["dev", "rehearsal"];

describe("the stacks a change has to do with", () => {
  for (const [files, touched] of [
    [[], []],
    [["Pulumi.dev.yaml"], ["dev"]],
    [["Pulumi.dev.yaml", "README.md"], ["dev"]],
    [["Pulumi.gone.yaml"], []],
    [["Pulumi.dev.yaml", "Pulumi.rehearsal.yaml"], stacks],
    [["Pulumi.yaml"], stacks],
    [["index.ts"], stacks],
    [["components/windows/steps/Join-Node.ps1"], stacks],
    [["Pulumi.dev.yaml", "package-lock.json"], stacks],
    [["docs/cli.md", "components/windows/README.md", "test/unit/a.test.ts"], []],
    [[".github/workflows/preview.yaml", ".gitignore", "Makefile"], []],
    // Only at its own place is it what it is called.
    [["components/docs/x.ts"], stacks],
  ] as const) {
    it(`${files.join(", ") || "nothing"}: ${touched.join(", ") || "none"}`, () =>
      assert.deepEqual(touchedStacks(files, stacks), touched));
  }
});
