import {
  builderMemoryMiB,
  imageRoomGiB,
  windowsImage,
} from "../../images/windows/builder/image-artifact.ts";
import { bareBake } from "../../images/windows/bake.ts";
import { problemsOfOwnMedia } from "../../images/windows/examine-media.ts";
import { imageMedia, type ImageMedium } from "../../images/windows/media.ts";
import { collecting } from "../../images/disk/media-program.ts";
import { roomProblems } from "../../images/disk/require-room.ts";
import { unpinned } from "../../components/windows/software.ts";
import { throwAny, type HostProblem } from "../../config/host-problem.ts";
import { isMadeFromIso } from "../../config/sections/windows-image.ts";
import { unless } from "../../config/problem.ts";
import { checkKvm, gatherKvmDevice } from "../../components/machine/libvirt/kvm.ts";
import { gatherMemory, type MemoryFacts } from "../../stacks/room.ts";
import type { Settings } from "../../config/settings.ts";
import { windowsVersionOf } from "../../config/supported.ts";
import type { Progress } from "../../toolchain/artifact.ts";
import { artifactAddress, type Cache } from "../../toolchain/cache.ts";
import { ensureLabPackages } from "../../toolchain/host-requirements.ts";
import { findPrograms } from "../fetch/programs.ts";
import { downloadedMedia } from "../fetch/image-media.ts";
import { stackSoftware } from "../../components/windows/stack-software.ts";

/**
 * Checks, before tools are built and gigabytes downloaded, whether the stack's image can be built, according to the
 * settings, this host and the existing media. Does nothing if the image exists, or is not made from an ISO. Returns
 * whether an image has to be built.
 */
export async function requireMakeableImage(
  settings: Settings,
  cache: Cache,
  say: Progress,
  ensurePackages = (names: readonly string[]): Promise<unknown> =>
    ensureLabPackages(settings, names, say),
): Promise<boolean> {
  const { windows, hypervisor } = settings;
  if (!isMadeFromIso(windows.image)) return false;
  const problems: HostProblem[] = [];
  // Checksums may still be missing, but then no image with these programs exists.
  const { cluster } = settings;
  const isPinned = unpinned(stackSoftware({ windows, cluster })).length === 0;
  const artifact = windowsImage(settings, cache, isPinned ? {} : { bake: bareBake });
  // Reads the user's media completely, once, for their checksums.
  const address = await collecting(problems, () => artifactAddress(artifact));
  if (isPinned && address !== undefined && (await cache.state(address)).kind === "complete") {
    return false;
  }
  const { media } = imageMedia(windows.image, windowsVersionOf(windows.version));
  problems.push(
    ...checkKvm(settings, { kvm: await gatherKvmDevice(hypervisor.domainType) }),
    ...(await roomForImage(media, settings, cache, say)),
    ...memoryForImage(await gatherMemory()),
  );
  throwAny(problems);
  await ensurePackages(artifact.hostPackages);
  if (media.some(({ source }) => source.kind === "file")) {
    say("examining the image's media");
    throwAny(await problemsOfOwnMedia(windows, cache));
  }
  return true;
}

async function roomForImage(
  media: readonly ImageMedium[],
  settings: Settings,
  cache: Cache,
  say: Progress,
): Promise<HostProblem[]> {
  const { files } = downloadedMedia(settings);
  const states = await findPrograms(files, cache);
  const toFetch = states.map(({ bytes }, index) => Math.max(0, (files[index]?.bytes ?? 0) - bytes));
  const fetchedGiB = toFetch.reduce((sum, bytes) => sum + bytes, 0) / 1024 ** 3;
  const neededGiB = imageRoomGiB(media.some(({ name }) => name === "update")) + fetchedGiB;
  return roomProblems(cache.root, neededGiB, "the image with what is fetched for it", say);
}

/** Memory of the machine on which the image is built; its QEMU needs some more. */
export function memoryForImage({ availableMiB, totalMiB }: MemoryFacts): HostProblem[] {
  return unless(availableMiB >= builderMemoryMiB, {
    subject: "Memory",
    why: `of ${builderMemoryMiB} MiB is needed to make the image, ${availableMiB} of ${totalMiB} MiB are available`,
    instead: "Stop something else meanwhile.",
  });
}
