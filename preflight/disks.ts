import { stat } from "node:fs/promises";
import path from "node:path";
import { freeGiB } from "../components/machine/disk/require-room.ts";
import { labNames } from "../config/names.ts";
import type { Settings } from "../config/settings.ts";
import { type Gathered, type HostProblem, unless } from "../config/host-problem.ts";
import type { DockerFacts } from "./docker.ts";
import { needs } from "./footprint.ts";
import type { HostFacts } from "./host-facts.ts";

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
