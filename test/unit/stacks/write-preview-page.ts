import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import { previewPage } from "./preview-page.ts";

const file = fileURLToPath(new URL("../../../docs/preview.md", import.meta.url));

await writeFile(
  file,
  await format(previewPage(), { ...(await resolveConfig(file)), filepath: file }),
);
