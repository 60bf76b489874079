import { constants } from "node:fs";
import { access, chmod, copyFile, realpath } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";

import type { InstalledTool, Outcome, Tool } from "./tool.ts";

/**
 * Takes a tool from the host's PATH when it is there at exactly the pinned version. It is copied: a later upgrade on
 * the host must not change what runs here.
 */
export async function takeInstalled(tool: Tool, into: string): Promise<Outcome> {
  const { installed } = tool;
  const [executable] = tool.executables;
  if (installed === undefined || executable === undefined) {
    return "not looked for on the host";
  }
  const found = await findOnPath(executable, process.env.PATH ?? "");
  if (found === undefined) {
    return "not installed";
  }
  const version = await askVersion(found, installed);
  if (version !== tool.version) {
    return `installed is ${version ?? "an unknown version"}`;
  }
  const folder = path.dirname(await realpath(found));
  for (const name of [executable, ...(installed.companions ?? [])]) {
    const source = name === executable ? found : path.join(folder, name);
    if (name === executable || (await isExecutable(source))) {
      await copyFile(source, path.join(into, name));
      await chmod(path.join(into, name), 0o755);
    }
  }
  return undefined;
}

/** Absolute path of the first executable of that name in a list of folders as in PATH. */
export async function findOnPath(name: string, searched: string): Promise<string | undefined> {
  for (const folder of searched.split(path.delimiter).filter((each) => path.isAbsolute(each))) {
    const candidate = path.join(folder, name);
    if (await isExecutable(candidate)) {
      return candidate;
    }
  }
  return undefined;
}

async function askVersion(file: string, installed: InstalledTool): Promise<string | undefined> {
  try {
    const { stdout } = await execa(file, installed.versionArguments, {
      timeout: 5_000,
      stdin: "ignore",
      env: { PULUMI_SKIP_UPDATE_CHECK: "true" },
    });
    return installed.versionPattern.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
