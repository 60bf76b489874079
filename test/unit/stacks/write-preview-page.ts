import { writeFile } from "node:fs/promises";
import { file, previewPage } from "./preview-page.ts";

await writeFile(file, await previewPage());
