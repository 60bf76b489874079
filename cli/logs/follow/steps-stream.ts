import { open, readdir, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

import { FollowedFiles, type LogFolder } from "./followed-files.ts";
import { stepsName, patiently, type LogStream } from "./log-stream.ts";

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

/**
 * What the last `up` said, and what one that runs says.
 *
 * @param file in which `up` writes it.
 */
export function stepsStream(file: string): LogStream {
  return {
    name: stepsName,
    follow: async (following) => {
      const { signal, tail, lookSeconds } = following;
      const logs = new FollowedFiles({
        patterns: [{ path: file, form: "plain", label: () => stepsName }],
        tail,
        line: following.line,
        note: (label) => following.tell(label, "a new `up` has begun"),
      });
      let told = false;
      return patiently({
        ...following,
        tell: (text) => following.tell(stepsName, text),
        follow: async (alive) => {
          while (!signal.aborted) {
            await logs.look(localFiles);
            alive();
            if (!told && logs.labels.length === 0) {
              following.tell(
                stepsName,
                "no `up` of this clone has written anything; waits for one",
              );
            }
            told = true;
            await sleep(lookSeconds * 1000, undefined, { signal }).catch(() => undefined);
          }
        },
      });
    },
  };
}

async function orNothing<T>(work: () => Promise<T>, nothing: T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return nothing;
    throw error;
  }
}
