import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import { faults } from "./faults.ts";
import { faultsPage } from "./page.ts";
import { playTable } from "./table.ts";

const file = fileURLToPath(new URL("../../../../docs/faults.md", import.meta.url));
const page = faultsPage(faults, await playTable("sample"));
await writeFile(file, await format(page, { ...(await resolveConfig(file)), filepath: file }));
