import { existsSync } from "node:fs";
import { readdir, readFile, readlink, stat } from "node:fs/promises";
import path from "node:path";
import { freeGiB } from "../images/disk/require-room.ts";
import { thisHypervisor } from "../config/sections/machine-host.ts";
import { type Settings } from "../config/settings.ts";
import {
  controlPlaneNames,
  domainName,
  labNames,
  linuxWorkerName,
  poolFolderOf,
} from "../config/names.ts";
import type { Gathered, HostProblem } from "../config/host-problem.ts";
import { unless } from "../config/problem.ts";
import type { DockerFacts } from "../components/controlplane/docker-readiness.ts";
import type { ImageArchiveFacts } from "../components/image-archives/readiness.ts";
import { machineNodes } from "../config/sections/nodes.ts";
import { machineOverheadMiB } from "../config/sections/machine-host.ts";
import type { LibvirtFacts } from "../components/machine/libvirt/libvirt-facts.ts";
import { imageSource } from "../config/image-sources.ts";

interface Need {
  readonly what: string;
  readonly memoryMiB?: number;
  readonly poolGiB?: number;
  readonly dockerGiB?: number;
  readonly inotifyInstances?: number;
}

export function total(all: readonly Need[], of: Exclude<keyof Need, "what">): number {
  return all.reduce((sum, need) => sum + (need[of] ?? 0), 0);
}

/**
 * Measured: a new control plane takes 670 MiB and 27 inotify instances, 14 of them for programs that a worker runs too;
 * one instance is spare. A worker's memory is an estimate, because it has neither API server nor etcd.
 */
const controlPlane = { memoryMiB: 1024, inotifyInstances: 28, dockerGiB: 1 };
const worker = { memoryMiB: 512, inotifyInstances: 15, dockerGiB: 1 };

/** kind's node image (1 GB unpacked) and the archive that it is loaded from. */
const nodeImageGiB = 2;

/** What `ImageSource.room` says of Windows machines, for Linux machines. */
const linuxDisk = { imageGiB: 1, growthGiB: 3 } as const;

/** What says which parts of a lab run, and what the others need. */
interface Running {
  readonly docker: Gathered<DockerFacts>;
  readonly libvirt: Gathered<LibvirtFacts>;
  readonly imageArchives?: Pick<ImageArchiveFacts, "gib">;
}

/** Everything of a lab that is not running yet, and the resources it needs. */
export function needs(
  settings: Settings,
  { docker, libvirt, imageArchives = { gib: 0 } }: Running,
): Need[] {
  const { kindCluster, pool } = labNames(settings.lab.name);
  const disk = imageSource(settings).room;
  const domains = libvirt.reachable ? libvirt.domains : [];
  const pools = libvirt.reachable ? libvirt.pools : [];
  const containers = (docker.reachable ? docker.containers : []).filter(
    (one) => one.kindCluster === kindCluster,
  );
  const here = machineNodes(settings).filter(({ hypervisor }) => hypervisor === thisHypervisor);
  const machines = here.flatMap((node): Need[] => {
    const domain = domains.find(({ name }) => name === domainName(settings.lab.name, node.name));
    if (domain?.running === true) return [];
    const { growthGiB } = node.os === "linux" ? linuxDisk : disk;
    return [
      {
        what: `machine ${node.name}`,
        memoryMiB: node.memoryMiB + machineOverheadMiB,
        ...(domain === undefined && { poolGiB: Math.min(growthGiB, node.diskGiB) }),
      },
    ];
  });
  const { controlPlanes, workers } = settings.cluster;
  const linuxNodes = [
    ...controlPlaneNames(kindCluster, controlPlanes).map((name) => ({ name, ...controlPlane })),
    ...workers.map(({ name }) => ({ name: linuxWorkerName(kindCluster, name), ...worker })),
  ].filter(({ name }) => !containers.some((one) => one.name === name && one.running));
  const windowsGiB = here.some(({ os }) => os === "windows") ? disk.imageGiB : 0;
  const linuxGiB = here.some(({ os }) => os === "linux") ? linuxDisk.imageGiB : 0;
  return [
    ...machines,
    ...linuxNodes.map(({ name, dockerGiB, ...needed }) => ({
      ...needed,
      // Each has the images as they were imported, and unpacked.
      dockerGiB: dockerGiB + Math.ceil(2 * imageArchives.gib),
      what: `container ${name}`,
    })),
    // The two images are needed only if nothing has been created from them yet.
    ...(pools.some(({ name }) => name === pool)
      ? []
      : [{ what: "image of the machines", poolGiB: windowsGiB + linuxGiB }]),
    ...(containers.length > 0 ? [] : [{ what: "kind's node image", dockerGiB: nodeImageGiB }]),
  ];
}

export interface MemoryFacts {
  /** Memory that is available without swapping, by the kernel's estimate, in MiB. */
  readonly availableMiB: number;
  readonly totalMiB: number;
}

export async function gatherMemory(): Promise<MemoryFacts> {
  return memoryIn(await readFile("/proc/meminfo", "utf8"));
}

export function memoryIn(table: string): MemoryFacts {
  const mib = (key: string): number => {
    const kib = new RegExp(`^${key}:\\s+(\\d+) kB$`, "m").exec(table)?.[1];
    if (kib === undefined) throw new Error(`/proc/meminfo has no line ${key}`);
    return Math.floor(Number(kib) / 1024);
  };
  return { availableMiB: mib("MemAvailable"), totalMiB: mib("MemTotal") };
}

export function checkMemory(
  settings: Settings,
  facts: Running & { readonly memory: MemoryFacts },
): HostProblem[] {
  const all = needs(settings, facts);
  const neededMiB = total(all, "memoryMiB");
  const { availableMiB, totalMiB } = facts.memory;
  const parts = all.flatMap(({ what, memoryMiB }) => (memoryMiB ? [`${what} ${memoryMiB}`] : []));
  return unless(neededMiB <= availableMiB, {
    subject: "Memory",
    why: `of ${neededMiB} MiB is needed (${parts.join(", ")}), ${availableMiB} of ${totalMiB} MiB are available`,
    instead: "Have fewer nodes, write less for kindows:windows.memoryMiB, or stop something else.",
  });
}

interface Disk {
  readonly folder: string;
  /** Free space for a process that is not root, in GiB. */
  readonly freeGiB: number;
  /** Number of the file system; folders with the same number share their space. */
  readonly device: number;
}

export interface DiskFacts {
  readonly pool: Disk;
  readonly docker?: Disk;
}

export async function gatherDisks(
  settings: Settings,
  docker: Gathered<DockerFacts>,
): Promise<DiskFacts> {
  const [pool, images] = await Promise.all([
    diskOf(poolFolderOf(settings)),
    docker.reachable ? diskOf(docker.rootFolder) : undefined,
  ]);
  return { pool, docker: images };
}

/** Free space of a folder, or of its nearest existing parent if the folder does not exist yet. */
async function diskOf(folder: string): Promise<Disk> {
  let nearest = folder;
  while (nearest !== path.dirname(nearest) && !existsSync(nearest)) nearest = path.dirname(nearest);
  const [free, { dev }] = await Promise.all([freeGiB(nearest), stat(nearest)]);
  return { folder, freeGiB: free, device: dev };
}

export function checkDisks(
  settings: Settings,
  facts: Running & { readonly disks: DiskFacts },
): HostProblem[] {
  const all = needs(settings, facts);
  const [poolGiB, dockerGiB] = [total(all, "poolGiB"), total(all, "dockerGiB")];
  const { pool, docker } = facts.disks;
  if (docker !== undefined && docker.device === pool.device) {
    return tooFull({ ...pool, folder: `${pool.folder} and ${docker.folder}` }, poolGiB + dockerGiB);
  }
  return [...tooFull(pool, poolGiB), ...(docker === undefined ? [] : tooFull(docker, dockerGiB))];
}

function tooFull({ folder, freeGiB }: Disk, neededGiB: number): HostProblem[] {
  return unless(neededGiB <= freeGiB, {
    subject: `The disk of ${folder}`,
    why: `has ${freeGiB.toFixed(1)} GiB free, ${neededGiB} GiB are needed`,
    instead: "Free some space there, or have fewer nodes.",
  });
}

/** Limit and use of inotify instances by root, as whom a lab's containers run. */
export interface InotifyFacts {
  readonly limit: number;
  readonly used: number;
}

/** Counts root's inotify instances, because the kernel does not report their number. */
export async function gatherInotify(proc = "/proc"): Promise<InotifyFacts> {
  const limit = await readFile(path.join(proc, "sys/fs/inotify/max_user_instances"), "utf8");
  const pids = (await readdir(proc)).filter((name) => /^\d+$/.test(name));
  const counts = await Promise.all(pids.map(async (pid) => instancesOf(path.join(proc, pid))));
  return { limit: Number(limit), used: counts.reduce((sum, count) => sum + count, 0) };
}

async function instancesOf(process: string): Promise<number> {
  try {
    if (!/^Uid:\s+0\s/m.test(await readFile(path.join(process, "status"), "utf8"))) return 0;
    const folder = path.join(process, "fd");
    const files = await Promise.all(
      (await readdir(folder)).map(async (fd) => readlink(path.join(folder, fd)).catch(() => "")),
    );
    return files.filter((file) => file === "anon_inode:inotify").length;
  } catch {
    // The process has ended, or this user may not read its files.
    return 0;
  }
}

/** The limit that kind recommends (https://kind.sigs.k8s.io/docs/user/known-issues/). */
const advised = 512;

/**
 * Checks that enough inotify instances are left for the Linux nodes that do not run yet. Without them, systemd, kubelet
 * and dnsmasq fail with "too many open files", each at a different time.
 */
export function checkInotify(
  settings: Settings,
  facts: Running & { readonly inotify: InotifyFacts },
): HostProblem[] {
  const needed = total(needs(settings, facts), "inotifyInstances");
  const { limit, used } = facts.inotify;
  return unless(needed <= limit - used, {
    subject: "fs.inotify.max_user_instances",
    why: `is ${limit}, of which ${used} are in use; the Linux nodes need ${needed} more`,
    instead: `Run \`sysctl -w fs.inotify.max_user_instances=${Math.max(advised, 2 * (used + needed))}\`, and write it to /etc/sysctl.d/ for the next boot.`,
  });
}
