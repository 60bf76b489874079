import { writeFile } from "node:fs/promises";
import { faultsPage, pageFile } from "./page.ts";
import { playTable } from "./table.ts";

await writeFile(pageFile, await faultsPage(await playTable("sample")));
