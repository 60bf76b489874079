import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import { previewPage } from "./preview-page.ts";

const file = fileURLToPath(new URL("../../../docs/preview.md", import.meta.url));

describe("docs/preview.md", () => {
  it("is what the tables say: else run `node --import tsx test/unit/stacks/write-preview-page.ts`", async () => {
    const current = await format(previewPage(), {
      ...(await resolveConfig(file)),
      filepath: file,
    });
    assert.equal(readFileSync(file, "utf8"), current);
  });
});
