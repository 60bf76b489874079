import type { Settings } from "../config/settings.ts";
import { needs } from "./footprint.ts";
import type { HostFacts } from "./host-facts.ts";
import { type HostProblem, unless } from "../config/host-problem.ts";
import type { Disk } from "./gather-disks.ts";

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
