import { readFile, readdir, readlink } from "node:fs/promises";
import path from "node:path";

/** What root, as whom a lab's containers run, may have of the kernel's inotify instances. */
export interface InotifyFacts {
  /** `fs.inotify.max_user_instances`. */
  readonly limit: number;
  /** Those in use, as far as this user may see them. */
  readonly used: number;
}

/** What an inotify instance among a process' open files looks like. */
const instance = "anon_inode:inotify";

/** Counts root's inotify instances, as the kernel has no counter to ask. */
export async function gatherInotify(proc = "/proc"): Promise<InotifyFacts> {
  const limit = Number(
    await readFile(path.join(proc, "sys/fs/inotify/max_user_instances"), "utf8"),
  );
  const pids = (await readdir(proc)).filter((name) => /^\d+$/.test(name));
  const counts = await Promise.all(pids.map(async (pid) => instancesOf(path.join(proc, pid))));
  return { limit, used: counts.reduce((sum, count) => sum + count, 0) };
}

async function instancesOf(process: string): Promise<number> {
  try {
    if (!/^Uid:\s+0\s/m.test(await readFile(path.join(process, "status"), "utf8"))) {
      return 0;
    }
    const folder = path.join(process, "fd");
    const files = await Promise.all(
      (await readdir(folder)).map(async (fd) => readlink(path.join(folder, fd)).catch(() => "")),
    );
    return files.filter((file) => file === instance).length;
  } catch {
    // It ended meanwhile, or is not ours to look at.
    return 0;
  }
}
