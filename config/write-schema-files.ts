import { writeFile } from "node:fs/promises";
import { schemaFiles } from "./schema-files.ts";

for (const [file, text] of await schemaFiles()) {
  await writeFile(file, text);
}
