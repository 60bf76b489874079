import { open, readdir, stat } from "node:fs/promises";

import { fileStream, type LogFolder } from "./followed-files.ts";
import { stepsName, type LogStream } from "./log-stream.ts";

/**
 * The output of the last or running `up`.
 *
 * @param file in which `up` writes it.
 */
export function stepsStream(file: string): LogStream {
  return fileStream({
    name: stepsName,
    patterns: [{ path: file, form: "plain", label: () => stepsName }],
    expected: new Map([[stepsName, "no `up` of this clone has written anything; waits for one"]]),
    renewed: "a new `up` has begun",
    withFiles: (_signal, work) => work(localFiles),
  });
}

/** The log files of this host. */
const localFiles: LogFolder = {
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
