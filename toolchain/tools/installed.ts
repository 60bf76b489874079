import { chmod, copyFile, mkdir, realpath } from "node:fs/promises";
import path from "node:path";
import { runProgram } from "../../host/run-program.ts";

import { findOnPath, isExecutable } from "../../host/search-path.ts";
import type { InstalledTool, Outcome, Tool } from "./tool.ts";
import { isInCache } from "../own-cache.ts";

/** A tool on the host at exactly the pinned version, or why there is none; empty if the host's is never used. */
type Found = { readonly file: string } | { readonly reason: string };

/** Copies the host's tool if it has the pinned version, so that a later upgrade of the host does not change it. */
export async function takeInstalled(tool: Tool, into: string): Promise<Outcome> {
  const found = await findInstalled(tool);
  if ("reason" in found) return found.reason;
  const target = path.join(into, path.basename(found.file));
  await copyFile(found.file, target);
  await chmod(target, 0o755);
  const folder = path.dirname(await realpath(found.file));
  for (const [name, beside] of Object.entries(tool.installed?.beside ?? {})) {
    if (await isExecutable(path.join(folder, beside))) {
      await mkdir(path.dirname(path.join(into, name)), { recursive: true });
      await copyFile(path.join(folder, beside), path.join(into, name));
    }
  }
  return undefined;
}

export async function findInstalled(tool: Tool): Promise<Found> {
  const { installed } = tool;
  const [executable] = Object.keys(tool.go.packages);
  if (installed === undefined || executable === undefined) return { reason: "" };
  const file = await findOnPath(executable, hostPath());
  if (file === undefined) return { reason: "not installed" };
  const version = await installedVersion(file, installed);
  return version === tool.version
    ? { file }
    : { reason: `installed is ${version ?? "an unknown version"}` };
}

/** PATH without the project's cache, which `kindows env` puts in front of the host's. */
function hostPath(): string {
  return (process.env.PATH ?? "")
    .split(path.delimiter)
    .filter((folder) => !isInCache(folder))
    .join(path.delimiter);
}

async function installedVersion(
  file: string,
  installed: InstalledTool,
): Promise<string | undefined> {
  const env = { PULUMI_SKIP_UPDATE_CHECK: "true" };
  const { how, stdout } = await runProgram(file, installed.versionArguments, 5, { env });
  return how === "well" ? installed.versionPattern.exec(stdout)?.[1] : undefined;
}
