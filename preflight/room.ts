import { readdir, readFile, readlink, stat } from "node:fs/promises";
import path from "node:path";
import { freeGiB } from "../components/machine/disk/require-room.ts";
import { thisHypervisor } from "../config/sections/machine-host.ts";
import { machineNodes, type Settings } from "../config/settings.ts";
import { controlPlaneNames, domainName, labNames, linuxWorkerName } from "../config/names.ts";
import { machineOverheadMiB } from "../config/placement.ts";
import type { Gathered, HostProblem } from "../config/host-problem.ts";
import { unless } from "../config/problem.ts";
import type { DockerFacts } from "./docker.ts";
import type { HostFacts } from "./host-facts.ts";

/** What one thing still to be made takes. */
export interface Need {
  readonly what: string;
  readonly memoryMiB: number;
  readonly poolGiB: number;
  readonly dockerGiB: number;
  readonly inotifyInstances: number;
}

/** Seen: 670 MiB for a control plane just up. A worker has neither API server nor etcd; its figure is an estimate. */
const controlPlaneMiB = 1024;
const workerMiB = 512;
const containerGiB = 1;

/** Counted: 27 of a control plane's programs, 14 of those a worker has as well; and one for what else may come. */
const controlPlaneInstances = 28;
const workerInstances = 15;

/** kind's node image (1 GB unpacked) beside the archive it is loaded from. */
const nodeImageGiB = 2;

/**
 * What the golden image takes, and how far a machine's disk grows above it until the first pods run: estimates on the
 * safe side. A Server Core installation fits into 15 GB; the container images of Windows itself are some GB each.
 */
const disks = {
  linux: { imageGiB: 1, growthGiB: 3 },
  rehearsal: { imageGiB: 1, growthGiB: 1 },
  windows: { imageGiB: 12, growthGiB: 15 },
} as const;

/** Everything of a lab that is not running yet, and what it takes. */
export function needs(
  settings: Settings,
  { docker, libvirt }: Pick<HostFacts, "docker" | "libvirt">,
): Need[] {
  const { kindCluster, pool } = labNames(settings.lab.name);
  const disk = disks[settings.windows.image.kind === "rehearsal" ? "rehearsal" : "windows"];
  const domains = libvirt.reachable ? libvirt.domains : [];
  const containers = (docker.reachable ? docker.containers : []).filter(
    (one) => one.kindCluster === kindCluster,
  );
  const pools = libvirt.reachable ? libvirt.pools : [];

  const here = machineNodes(settings).filter(({ hypervisor }) => hypervisor === thisHypervisor);
  const machines = here.flatMap((node): Need[] => {
    const domain = domains.find(({ name }) => name === domainName(settings.lab.name, node.name));
    const { growthGiB } = node.os === "linux" ? disks.linux : disk;
    return domain?.running === true
      ? []
      : [
          {
            ...{ ...nothing, what: `machine ${node.name}` },
            memoryMiB: node.memoryMiB + machineOverheadMiB,
            poolGiB: domain === undefined ? Math.min(growthGiB, node.diskGiB) : 0,
          },
        ];
  });
  const linuxNodes = [
    ...controlPlaneNames(kindCluster, settings.cluster.controlPlanes).map((name) => ({
      name,
      memoryMiB: controlPlaneMiB,
      inotifyInstances: controlPlaneInstances,
    })),
    ...settings.cluster.workers.map((worker) => ({
      name: linuxWorkerName(kindCluster, worker.name),
      memoryMiB: workerMiB,
      inotifyInstances: workerInstances,
    })),
  ].filter(({ name }) => !containers.some((one) => one.name === name && one.running));
  const imageGiB =
    disk.imageGiB + (here.some(({ os }) => os === "linux") ? disks.linux.imageGiB : 0);
  return [
    ...machines,
    ...linuxNodes.map(({ name, ...needed }) => ({
      ...{ ...nothing, ...needed, what: `container ${name}`, dockerGiB: containerGiB },
    })),
    // The two images, where nothing has been made of them yet.
    ...(pools.some(({ name }) => name === pool)
      ? []
      : [{ ...nothing, what: "image of the machines", poolGiB: imageGiB }]),
    ...(containers.length > 0
      ? []
      : [{ ...nothing, what: "kind's node image", dockerGiB: nodeImageGiB }]),
  ];
}

const nothing = { memoryMiB: 0, poolGiB: 0, dockerGiB: 0, inotifyInstances: 0 };

/** Memory of this host. */
export interface MemoryFacts {
  /** What the kernel thinks could be had without swapping, in MiB. */
  readonly availableMiB: number;
  readonly totalMiB: number;
}

/** Reads /proc/meminfo. */
export async function gatherMemory(): Promise<MemoryFacts> {
  return memoryIn(await readFile("/proc/meminfo", "utf8"));
}

/** @throws when a line that every kernel since 3.14 has is missing. */
export function memoryIn(table: string): MemoryFacts {
  const mib = (key: string): number => {
    const kib = new RegExp(`^${key}:\\s+(\\d+) kB$`, "m").exec(table)?.[1];
    if (kib === undefined) throw new Error(`/proc/meminfo has no line ${key}`);
    return Math.floor(Number(kib) / 1024);
  };
  return { availableMiB: mib("MemAvailable"), totalMiB: mib("MemTotal") };
}

/** What is still to be made fits into the memory that can be had. */
export function checkMemory(settings: Settings, facts: HostFacts): HostProblem[] {
  const needed = needs(settings, facts).filter(({ memoryMiB }) => memoryMiB > 0);
  const total = needed.reduce((sum, { memoryMiB }) => sum + memoryMiB, 0);
  const { availableMiB, totalMiB } = facts.memory;
  return unless(total <= availableMiB, {
    subject: "Memory",
    why: `of ${total} MiB is needed (${needed.map((one) => `${one.what} ${one.memoryMiB}`).join(", ")}), ${availableMiB} of ${totalMiB} MiB are available`,
    instead: "Have fewer nodes, write less for kindows:windows.memoryMiB, or stop something else.",
  });
}

/** Room in a folder. */
interface Disk {
  readonly folder: string;
  /** Room for a process that is not root, in GiB. */
  readonly freeGiB: number;
  /** Number of the file system; folders with the same one share their room. */
  readonly device: number;
}

/** Room where a lab writes most. */
export interface DiskFacts {
  /** Machines' disks. */
  readonly pool: Disk;
  /** Images and containers; undefined when Docker does not say where. */
  readonly docker?: Disk;
}

/** Looks at the folder of the machines' disks and at Docker's. */
export async function gatherDisks(
  settings: Settings,
  docker: Gathered<DockerFacts>,
): Promise<DiskFacts> {
  const [pool, images] = await Promise.all([
    room(labNames(settings.lab.name).poolFolder),
    docker.reachable ? room(docker.rootFolder) : undefined,
  ]);
  return { pool, docker: images };
}

/** Room in a folder, which may not be there yet: then it will be made in the nearest one that is. */
async function room(folder: string): Promise<Disk> {
  let nearest = folder;
  while (nearest !== path.dirname(nearest) && !(await exists(nearest))) {
    nearest = path.dirname(nearest);
  }
  const [free, { dev }] = await Promise.all([freeGiB(nearest), stat(nearest)]);
  return { folder, freeGiB: free, device: dev };
}

function exists(folder: string): Promise<boolean> {
  return stat(folder).then(
    () => true,
    () => false,
  );
}

/** What is still to be made fits on the disks; where both folders are on one, both together. */
export function checkDisks(settings: Settings, facts: HostFacts): HostProblem[] {
  const all = needs(settings, facts);
  const poolGiB = all.reduce((sum, need) => sum + need.poolGiB, 0);
  const dockerGiB = all.reduce((sum, need) => sum + need.dockerGiB, 0);
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
    instead: "Make room there, or have fewer nodes.",
  });
}

/** What root, as whom a lab's containers run, may have of the kernel's inotify instances. */
export interface InotifyFacts {
  readonly limit: number;
  /** Those in use, as far as this user may see them. */
  readonly used: number;
}

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
    if (!/^Uid:\s+0\s/m.test(await readFile(path.join(process, "status"), "utf8"))) return 0;
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
