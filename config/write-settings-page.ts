import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import { settingsPage } from "./settings-page.ts";

const file = fileURLToPath(new URL("../docs/settings.md", import.meta.url));

await mkdir(new URL("../docs/", import.meta.url), { recursive: true });
await writeFile(
  file,
  await format(settingsPage(), { ...(await resolveConfig(file)), filepath: file }),
);
