import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import { settingsPage } from "../../../config/settings-page.ts";

const file = fileURLToPath(new URL("../../../docs/settings.md", import.meta.url));

describe("docs/settings.md", () => {
  it("is what the schema says: else run `node --import tsx config/write-settings-page.ts`", async () => {
    const current = await format(settingsPage(), {
      ...(await resolveConfig(file)),
      filepath: file,
    });
    assert.equal(readFileSync(file, "utf8"), current);
  });
});
