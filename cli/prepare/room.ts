import { nodeImage } from "../../components/controlplane/node-image/artifact.ts";
import { linuxImage } from "../../components/linux/image/artifact.ts";
import { linuxDebian } from "../../components/linux/image/debian.ts";
import { roomProblems } from "../../components/machine/disk/require-room.ts";
import { hostProblemsText } from "../../config/host-problem.ts";
import type { Settings } from "../../config/settings.ts";
import { needs } from "../../preflight/footprint.ts";
import { bakedRehearsalImage } from "../../rehearsal/bake/artifact.ts";
import { rehearsalImage } from "../../rehearsal/image/artifact.ts";
import { rehearsalDebian } from "../../rehearsal/image/debian.ts";
import type { Artifact, Progress } from "../../toolchain/artifact.ts";
import { cacheRoot } from "../../toolchain/cache.ts";
import { kubernetesLinux, kubernetesWindows } from "../../toolchain/tools/table.ts";
import { Failure } from "../../host/failure.ts";

/** Disk space for building a tool, in GiB: itself, and Go's caches until the stack is prepared. */
const toolGiB = 0.5;

/** Other artifacts that take much space; generous. Kept here, as an artifact's own sources determine its address. */
const largeGiB = new Map<Artifact, number>([
  [kubernetesLinux, 2.5],
  [kubernetesWindows, 2.5],
  [nodeImage, 3],
  [rehearsalDebian, 1.5],
  [rehearsalImage, 3],
  [bakedRehearsalImage, 1],
  [linuxDebian, 2],
  [linuxImage, 2],
]);

/** Peak disk space of all artifacts, from the first build until the stack is prepared. */
function roomGiB(missing: readonly Artifact[]): number {
  return missing.reduce(
    (sum, each) => sum + (largeGiB.get(each) ?? ("tool" in each ? toolGiB : 0)),
    0,
  );
}

/**
 * Reports, before anything is built, the peak disk space of preparing, and how much the lab takes later.
 *
 * @param settings of the stack, where it has a lab.
 * @throws Failure if the cache's file system has less.
 */
export async function requireRoomToPrepare(
  missing: readonly Artifact[],
  settings: Settings | undefined,
  say: Progress,
): Promise<void> {
  const neededGiB = roomGiB(missing);
  if (neededGiB === 0) {
    return;
  }
  const problems = await roomProblems(cacheRoot(), neededGiB, "building what is missing", say);
  if (problems.length > 0) {
    throw new Failure(hostProblemsText(problems));
  }
  if (settings !== undefined) {
    // Its machines' disks and its containers. The preflight subtracts what exists already.
    const all = needs(settings, { docker: notAsked, libvirt: notAsked });
    const gib = all.reduce((sum, need) => sum + need.poolGiB + need.dockerGiB, 0);
    say(`then the lab takes up to ${gib} GiB of disk`);
  }
}

const notAsked = { reachable: false, error: "" } as const;
