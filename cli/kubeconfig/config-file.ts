import { chown, lstat, mkdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { Failure, messageOf } from "../../host/failure.ts";

/** Longest wait for another process's lock; kubectl holds it for milliseconds. */
const lockSeconds = 5;

export function kubeconfigFiles(environment: NodeJS.ProcessEnv): readonly string[] {
  const named = (environment["KUBECONFIG"] ?? "").split(":").filter((file) => file !== "");
  return named.length > 0 ? named : [path.join(os.homedir(), ".kube", "config")];
}

/**
 * The file for new entries, as kubectl chooses it: the first that exists, else the last that is named.
 *
 * @param files at least one.
 */
export async function fileForNew(files: readonly string[]): Promise<string> {
  for (const file of files) if (await isThere(file)) return file;
  return files.at(-1) ?? "";
}

/** Content of a kubeconfig; empty if it does not exist. @throws Failure if it cannot be read. */
export async function readConfigFile(file: string): Promise<string> {
  try {
    return await readFile(await targetOf(file), "utf8");
  } catch (error) {
    if (isMissing(error)) return "";
    throw asFailure(`cannot read ${file}`, error);
  }
}

function asFailure(what: string, error: unknown): Failure {
  return error instanceof Failure ? error : new Failure(`${what}: ${messageOf(error)}`);
}

/**
 * Changes a kubeconfig atomically, under kubectl's own lock. As it contains keys, it gets mode 0600; its owner stays.
 * If it is a link, the link's target is changed.
 *
 * @param change receives the content, empty if there is no file; its result is written if it differs.
 * @returns whether the file was written.
 * @throws Failure if it may not be written, or another process keeps it locked.
 */
export async function editConfigFile(
  file: string,
  change: (text: string) => string,
): Promise<boolean> {
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    return await withKubectlsLock(file, async () => {
      const text = await readConfigFile(file);
      const changed = change(text);
      if (changed === text) return false;
      await replace(await targetOf(file), changed);
      return true;
    });
  } catch (error) {
    throw asFailure(`${file} was not changed`, error);
  }
}

/** The lock that kubectl takes (client-go, tools/clientcmd/config.go): a file beside the kubeconfig. */
async function withKubectlsLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  const end = Date.now() + lockSeconds * 1000;
  while (!(await create(lock))) {
    if (Date.now() > end) {
      throw new Failure(
        `another process has been writing ${file} for ${lockSeconds} s (${lock} exists): ` +
          `if no kubectl runs, remove that lock file`,
      );
    }
    await sleep(50);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

/** Creates an empty file unless it exists. @returns whether it was created */
async function create(file: string): Promise<boolean> {
  try {
    await writeFile(file, "", { flag: "wx", mode: 0 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function replace(target: string, text: string): Promise<void> {
  const old = await lstat(target).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (old?.isFile() === false) throw new Failure(`${target} is not a file`);
  // Even if its folder (or being root) allows replacing it, a read-only file is respected.
  if (old !== undefined && (old.mode & 0o200) === 0) {
    throw new Failure(`${target} is read-only, and was not changed: chmod u+w ${target}`);
  }
  const beside = path.join(path.dirname(target), `.${path.basename(target)}.${process.pid}.new`);
  await rm(beside, { force: true });
  try {
    await writeFile(beside, text, { flag: "wx", mode: 0o600, flush: true });
    if (old !== undefined && old.uid !== process.getuid?.()) {
      await chown(beside, old.uid, old.gid);
    }
    await rename(beside, target);
  } finally {
    await rm(beside, { force: true });
  }
}

async function targetOf(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    if (!isMissing(error)) throw error;
    if (await isThere(file)) {
      throw new Failure(
        `${file} is a link to a file that does not exist: create that, or remove the link`,
      );
    }
    return file;
  }
}

/** Whether there is a file, or a link to nothing. */
async function isThere(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}
