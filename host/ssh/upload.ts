import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import type { Client } from "ssh2";
import { bounded } from "../bounded.ts";
import { ConnectionLost } from "./dial.ts";
import { isSystemFailure, RemoteFiles } from "./remote-files.ts";

/** Copies several files at a time, because each needs several requests, which a busy server answers slowly. */
const FILES_AT_ONCE = 8;

/**
 * Copies a file or folder of this machine. The target depends on what exists at `remotePath`:
 *
 * | source    | remotePath is a folder | is nothing      | is a file   |
 * | --------- | ---------------------- | --------------- | ----------- |
 * | folder    | remotePath/folder      | remotePath/folder | error     |
 * | folder/   | its content            | its content     | error       |
 * | file      | remotePath/file        | remotePath      | overwritten |
 *
 * Missing parent folders are an error. Files with the same name are overwritten, and others are left alone.
 */
export async function uploadSource(
  client: Client,
  source: { readonly path: string },
  remotePath: string,
  signal: AbortSignal,
): Promise<void> {
  const files = await RemoteFiles.open(client);
  try {
    await bounded(upload(files, source.path, remotePath), 0, signal);
  } finally {
    files.close();
  }
}

async function upload(files: RemoteFiles, source: string, remotePath: string): Promise<void> {
  if ((await stat(source)).isDirectory()) {
    let target = remotePath;
    await requireFolder(files, target);
    if (!source.endsWith("/")) {
      target = path.posix.join(target, path.basename(path.resolve(source)));
      await requireFolder(files, target);
    }
    await uploadFolder(files, source, target);
  } else {
    const isInside = (await kindOf(files, remotePath)) === "folder";
    const target = isInside ? path.posix.join(remotePath, path.basename(source)) : remotePath;
    await put(files, source, target);
  }
}

async function uploadFolder(files: RemoteFiles, from: string, to: string): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true });
  const names = (folders: boolean): string[] =>
    entries.filter((entry) => entry.isDirectory() === folders).map(({ name }) => name);
  for (const name of names(true)) {
    await requireFolder(files, path.posix.join(to, name));
    await uploadFolder(files, path.join(from, name), path.posix.join(to, name));
  }
  const waiting = names(false);
  const putNext = async (): Promise<void> => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      await put(files, path.join(from, name), path.posix.join(to, name));
    }
  };
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, putNext));
}

async function kindOf(files: RemoteFiles, file: string): Promise<"folder" | "file" | "nothing"> {
  const stats = await named(`failed to stat remote path ${file}`, files.stat(file));
  if (stats === undefined) return "nothing";
  return stats.isDirectory() ? "folder" : "file";
}

async function requireFolder(files: RemoteFiles, folder: string): Promise<void> {
  const kind = await kindOf(files, folder);
  if (kind === "file") throw new Error(`remote path ${folder} exists but is not a directory`);
  if (kind === "nothing") {
    await named(`failed to create remote directory ${folder}`, files.makeFolder(folder));
  }
}

function put(files: RemoteFiles, from: string, to: string): Promise<void> {
  return named(`failed to copy file ${from} to remote path ${to}`, files.put(from, to));
}

/** Adds to an error what was done, because SFTP reports any system error only as `Failure`. */
async function named<T>(failure: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { message } = error as Error;
    const remedies = [
      error instanceof ConnectionLost ? " (run again to repeat the copy)" : "",
      isSystemFailure(error) ? " (is its drive full? make room, then run again)" : "",
    ];
    throw new Error(`${failure}: ${message}${remedies.join("")}`);
  }
}
