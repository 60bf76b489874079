import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { format, resolveConfig } from "prettier";
import { parseDocument } from "yaml";
import { projectConfig } from "./project-config.ts";
import { settingsPage } from "./settings-page.ts";

/** The files that follow from the settings' schema: path, and text. */
export async function schemaFiles(): Promise<readonly (readonly [file: string, text: string])[]> {
  const page = fileURLToPath(new URL("../docs/settings.md", import.meta.url));
  const projectFile = fileURLToPath(new URL("../Pulumi.yaml", import.meta.url));
  const project = parseDocument(await readFile(projectFile, "utf8"));
  project.set("config", projectConfig());
  return Promise.all(
    [
      [page, settingsPage()] as const,
      [projectFile, project.toString({ lineWidth: 0 })] as const,
    ].map(
      async ([file, text]) =>
        [file, await format(text, { ...(await resolveConfig(file)), filepath: file })] as const,
    ),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  for (const [file, text] of await schemaFiles()) {
    await writeFile(file, text);
  }
}
