import { stat } from "node:fs/promises";
import path from "node:path";
import { freeGiB } from "../toolchain/free-space.ts";
import { labNames } from "../config/names.ts";
import type { Settings } from "../config/settings.ts";
import type { Gathered } from "../config/host-problem.ts";
import type { DockerFacts } from "./gather-docker.ts";

/** Room in a folder. */
export interface Disk {
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
