import { copyFile, cp, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { programOutput } from "../../host/run-program.ts";
import * as z from "zod";

import { parseJson } from "../parse-json.ts";
import type { GoBuild } from "./tool.ts";

const downloadSchema = z.object({ Dir: z.string() });

const downloadTimeoutSeconds = 600;

/**
 * Copies the module that is to be changed into a folder, and changes it: Go accepts no overlay for its cache of modules.
 *
 * @returns the path of a go.mod that leads to the copy.
 */
export async function writePatchedModule(
  go: GoBuild,
  { module, changes }: NonNullable<GoBuild["patch"]>,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const runGo = (...args: readonly string[]): Promise<string> =>
    programOutput("go", args, downloadTimeoutSeconds, { cwd: go.module, env });
  const stdout = await runGo("mod", "download", "-json", module);
  const copy = path.join(folder, "module");
  await cp(downloadSchema.parse(parseJson(stdout)).Dir, copy, { recursive: true });
  for (const { file, from, to } of changes) {
    const source = path.join(copy, file);
    await writeFile(source, replaceOnce(file, await readFile(source, "utf8"), from, to));
  }
  const modFile = path.join(folder, "go.mod");
  for (const name of ["go.mod", "go.sum"]) {
    await copyFile(path.join(go.module, name), path.join(folder, name));
  }
  await runGo("mod", "edit", `-replace=${module}=${copy}`, modFile);
  return modFile;
}

/** @throws unless the text is there exactly once. */
export function replaceOnce(file: string, content: string, from: string, to: string): string {
  const [before, after, more] = content.split(from);
  if (before === undefined || after === undefined || more !== undefined) {
    throw new Error(
      `${file} does not have "${from}" exactly once: this version of its module needs another patch, or none ` +
        `(toolchain/tools/table.ts)`,
    );
  }
  return `${before}${to}${after}`;
}
