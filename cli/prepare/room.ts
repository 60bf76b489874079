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

/** What a tool takes that is built, in GiB: itself, and what stays of Go's caches until the stack is prepared. */
const toolGiB = 0.5;

/** What else takes much while it is made; on the safe side. Here, since an artifact's own sources decide on its address. */
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

/** Room that artifacts take at most, all together, from the first build until the stack is prepared. */
function roomGiB(missing: readonly Artifact[]): number {
  return missing.reduce(
    (sum, each) => sum + (largeGiB.get(each) ?? ("tool" in each ? toolGiB : 0)),
    0,
  );
}

/**
 * Says, before anything is built, how much disk that takes at its peak, and how much the lab takes later.
 *
 * @param settings of the stack, where it has a lab.
 * @throws Failure where the cache's file system has less.
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
    // Its machines' disks and its containers. What of it is there already the preflight asks.
    const all = needs(settings, { docker: notAsked, libvirt: notAsked });
    const gib = all.reduce((sum, need) => sum + need.poolGiB + need.dockerGiB, 0);
    say(`then the lab takes up to ${gib} GiB of disk`);
  }
}

const notAsked = { reachable: false, error: "" } as const;
