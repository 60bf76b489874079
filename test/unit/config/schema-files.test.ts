import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { schemaFiles } from "../../../config/write-schema-files.ts";

describe("docs/settings.md, and `config:` in Pulumi.yaml", () => {
  it("match the schema; if not, run `node --import tsx config/write-schema-files.ts`", async () => {
    for (const [file, text] of await schemaFiles()) assert.equal(readFileSync(file, "utf8"), text);
  });
});
