import { rm } from "node:fs/promises";

import { programOutput } from "../host/run-program.ts";

export function isReadOnly(error: unknown): boolean {
  const { code = "" } = error as NodeJS.ErrnoException;
  return ["EROFS", "EACCES", "EPERM"].includes(code);
}

/** Longest time for changing the modes of all folders. */
const modesSeconds = 600;

/** Removes a folder with all that is in it. Go makes the folders of modules read-only, whose files only root may remove. */
export async function removeTree(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EACCES" && code !== "EPERM") throw error;
    const readOnlyFolders = [folder, "-type", "d", "!", "-perm", "-u+w"];
    const makingWritable = ["-exec", "chmod", "u+w", "{}", "+"];
    await programOutput("find", [...readOnlyFolders, ...makingWritable], modesSeconds);
    await rm(folder, { recursive: true, force: true });
  }
}
