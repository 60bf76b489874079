import { open, readdir, stat } from "node:fs/promises";

import type { LogFolder } from "./log-folder.ts";

/** The log files of this host. */
export const localFiles: LogFolder = {
  list: async (folder) =>
    orNothing(async () => {
      const entries = await readdir(folder, { withFileTypes: true });
      return entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
    }, []),

  size: async (file) => orNothing(async () => (await stat(file)).size, undefined),

  read: async (file, offset, length) =>
    orNothing(async () => {
      const opened = await open(file, "r");
      try {
        const { buffer, bytesRead } = await opened.read(Buffer.alloc(length), 0, length, offset);
        return buffer.subarray(0, bytesRead);
      } finally {
        await opened.close();
      }
    }, undefined),
};

async function orNothing<T>(work: () => Promise<T>, nothing: T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return nothing;
    throw error;
  }
}
