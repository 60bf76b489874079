import { readdir, readFile, readlink } from "node:fs/promises";
import path from "node:path";
import type { Settings } from "../config/settings.ts";
import { needs } from "./footprint.ts";
import type { HostFacts } from "./host-facts.ts";
import { type HostProblem, unless } from "../config/host-problem.ts";

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

/** What a workstation is usually told to have for kind (https://kind.sigs.k8s.io/docs/user/known-issues/). */
const advised = 512;

/**
 * The Linux nodes still to be made get their inotify instances. Where these run out, containers' systemd, kubelets and
 * dnsmasq fail with "too many open files", each at another time.
 */
export function checkInotify(settings: Settings, facts: HostFacts): HostProblem[] {
  const needed = needs(settings, facts).reduce((sum, one) => sum + one.inotifyInstances, 0);
  const { limit, used } = facts.inotify;
  return unless(needed <= limit - used, {
    subject: "fs.inotify.max_user_instances",
    why: `is ${limit}, of which ${used} are in use; the Linux nodes need ${needed} more`,
    instead: `Run \`sysctl -w fs.inotify.max_user_instances=${Math.max(advised, 2 * (used + needed))}\`, and write it to /etc/sysctl.d/ for the next boot.`,
  });
}
