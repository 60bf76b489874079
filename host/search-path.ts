import { constants } from "node:fs";
import { access } from "node:fs/promises";
import path from "node:path";

/** Absolute path of the first executable with this name in a list of folders like PATH. */
export async function findOnPath(name: string, searched: string): Promise<string | undefined> {
  for (const folder of searched.split(path.delimiter).filter((each) => path.isAbsolute(each))) {
    const candidate = path.join(folder, name);
    if (await isExecutable(candidate)) return candidate;
  }
  return undefined;
}

export async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
