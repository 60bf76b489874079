import { chmod, copyFile, mkdir, rename, rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import path from "node:path";
import type { Settings } from "../../../../config/settings.ts";
import type { Artifact, BuildContext } from "../../../../toolchain/artifact.ts";
import type { Cache } from "../../../../toolchain/cache.ts";
import { flushFile } from "../../../../toolchain/flush-file.ts";
import { stackSoftware } from "../../software.ts";
import { bakeOf, nodeImages, type Bake } from "../bake.ts";
import { examineDisk } from "../../../machine/disk/examine-disk.ts";
import { windowsDisk } from "../windows-images.ts";
import { examineMedia } from "../examine-media.ts";
import { newImageSecrets, withImageDisc, type ImageSecrets } from "../image-disc.ts";
import { isMadeFromIso, isoImageOf } from "../media.ts";
import { runMediaProgram } from "../../../machine/disk/media-program.ts";
import { requireRoom } from "../../../machine/disk/require-room.ts";
import { imageDiskGiB, screenSocket, uefiVariables } from "./qemu-command.ts";
import { imageInputs } from "./image-inputs.ts";
import { watchInterruption } from "../../../../host/interruption.ts";
import { NotResumed } from "./build-stages.ts";
import { PartialImage, writeImageNote } from "./partial-image.ts";
import { runBuilder } from "./run-builder.ts";
import type { BuilderRun } from "./run-builder.ts";
import { registriesOf } from "./way-out.ts";
import { sealImage, type ImageBuild } from "./seal-image.ts";
import { findUefiFirmware, uefiPackages } from "./uefi-firmware.ts";

/** Prefix of the names of images in the cache. */
export const imageArtifactName = "windows-image";

/** The image's disk in its folder in the cache. */
export const imageFile = "windows.qcow2";

/** Folder of the screenshots that were taken while an image was built. */
export function screensFolder(cache: Cache, address: string): string {
  return screensBeside(cache.logFile(address));
}

function screensBeside(logFile: string): string {
  return logFile.replace(/\.log$/, ".screens");
}

/** Values for tests, which install a small and slow stand-in for Windows. */
export interface BuilderChanges {
  readonly memoryMiB?: number;
  readonly slowness?: number;
  readonly emulator?: string;
  /** Steps of its nodes that are already done in the image. */
  readonly bake?: Bake;
  /** Disk space that must be free before, in GiB. */
  readonly neededGiB?: number;
}

/** Memory of the machine it is built on. Setup needs 2 GiB for Server with a desktop; more makes it faster. */
export const builderMemoryMiB = 4096;

/** More do not make Setup faster. */
const mostCpus = 4;

/**
 * What Windows writes until it is sealed: 15 GiB were enough for Core (sig-windows-dev-tools), a desktop takes more.
 * An estimate; it has not been measured here.
 */
const neededGiB = 20;

/** Additional space for an update: itself on the CD, and what it unpacks and replaces on the disk. An estimate. */
const updateGiB = 8;

/** Disk space, in GiB, that building an image takes in the cache beside its media. */
export function imageRoomGiB(withUpdate: boolean): number {
  return neededGiB + (withUpdate ? updateGiB : 0);
}

const programTimeoutSeconds = 120;

type ImageStack = Pick<Settings, "windows" | "hypervisor" | "cluster" | "cni">;

/**
 * The golden image of a stack whose settings name an ISO: installed once on a temporary machine, in a plain QEMU, and kept in
 * the cache under a hash of its inputs.
 */
export function windowsImage(
  { windows, hypervisor, cluster, cni }: ImageStack,
  cache: Cache,
  changes: BuilderChanges = {},
): Artifact {
  const { image } = windows;
  const withUefi = isMadeFromIso(image) && image.firmware === "uefi";
  const bake = (): Bake => {
    const software = stackSoftware({ windows, cluster });
    return changes.bake ?? bakeOf(software, nodeImages({ windows, cluster, cni }, software));
  };
  return {
    name: imageArtifactName,
    needs: [],
    hostPackages: [
      ...["p7zip-full", "qemu-system-x86", "qemu-utils", "wimtools", "xorriso"],
      ...(withUefi ? uefiPackages() : []),
    ],
    inputs: () => imageInputs(windows, bake, cache),
    build: async (into, context) => {
      const { signal, stop } = watchInterruption();
      try {
        await build({ windows, hypervisor, cache, bake: bake(), changes, into, context, signal });
      } finally {
        stop();
      }
    },
  };
}

interface Build extends Pick<Settings, "windows" | "hypervisor">, Pick<BuilderRun, "signal"> {
  readonly cache: Cache;
  readonly bake: Bake;
  readonly changes: BuilderChanges;
  readonly into: string;
  readonly context: BuildContext;
}

async function build(all: Build): Promise<void> {
  const { windows, hypervisor, cache, bake, changes, into, context, signal } = all;
  const image = isoImageOf(windows);
  const partial = new PartialImage(cache, path.basename(context.logFile, ".log"));
  const kept = await readPartial(partial, context);
  if (kept === undefined) {
    await partial.remove();
    await requireRoom(into, changes.neededGiB ?? imageRoomGiB(false), "making the image");
  }
  context.progress("looks at the media");
  const media = await examineMedia(windows, cache);
  if (media.update !== undefined && kept === undefined) {
    await requireRoom(into, changes.neededGiB ?? imageRoomGiB(true), "an image with an update");
  }
  const machine = {
    accelerator: hypervisor.domainType === "kvm" ? "kvm" : "tcg",
    cpus: Math.min(mostCpus, availableParallelism()),
    memoryMiB: changes.memoryMiB ?? builderMemoryMiB,
    uefi: image.firmware === "uefi" ? findUefiFirmware() : undefined,
  } as const;
  const screens = screensBeside(context.logFile);
  await rm(screens, { recursive: true, force: true });
  const found: { build?: ImageBuild } = {};
  const install = async (resumed: ImageSecrets | undefined): Promise<void> => {
    const secrets = resumed ?? newImageSecrets();
    // QEMU's sockets and the disc with keys and password: private, and removed once the image exists.
    const folder = path.join(into, "private");
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { mode: 0o700 });
    if (machine.uefi !== undefined) {
      const variables = resumed === undefined ? machine.uefi.variables : partial.uefiVariables;
      await copyFile(variables, path.join(folder, uefiVariables));
    }
    if (resumed === undefined) {
      await partial.begin();
      await makeDisk(partial.disk);
    }
    const { name, build: onIso, revision } = media.windows.image;
    const what = `${name}, build ${onIso}.${revision}`;
    context.progress(
      `${resumed === undefined ? "installs" : "continues"} ${what}; pictures of the screen: ${screens}; ` +
        `the screen itself: vncviewer ${path.join(folder, screenSocket)}`,
    );
    await withImageDisc(folder, windows, media, bake, secrets, (config) =>
      runBuilder({
        machine: { ...machine, folder, disk: partial.disk, discs: [media.windows.path, config] },
        logFile: context.logFile,
        screens,
        progress: context.progress,
        signal,
        slowness: changes.slowness,
        emulator: changes.emulator,
        isResumed: resumed !== undefined,
        keep: () => partial.keep(secrets, folder),
        withdraw: () => partial.withdraw(),
        seal: async (port) => {
          found.build = await sealImage(port, secrets, registriesOf(bake.images));
        },
      }),
    );
    await rm(folder, { recursive: true });
  };
  const disk = path.join(into, imageFile);
  try {
    await install(kept).catch(async (error: unknown) => {
      if (!(error instanceof NotResumed)) throw error;
      context.progress(`${error.message}; it is discarded, and the build starts over`);
      await install(undefined);
    });
    await rename(partial.disk, disk);
  } finally {
    // However it ended: only a killed build is resumed.
    await partial.remove();
  }
  if (found.build === undefined) {
    throw new Error("the machine was switched off before anybody looked at its Windows");
  }
  const { build: onIso, revision: revisionOnIso } = media.windows.image;
  if (media.update !== undefined && found.build.revision === revisionOnIso) {
    context.progress(
      `warning: the update changed nothing: Windows is ${onIso}.${revisionOnIso}, as on the ISO`,
    );
  }
  await examineDisk(disk, windowsDisk);
  // Nothing was flushed during the build.
  await flushFile(disk);
  await writeImageNote(into, {
    version: windows.version,
    edition: image.edition,
    language: image.language,
    ...found.build,
  });
}

/** Keys of the disk that an earlier build left, if that can be resumed; reports what it does. */
async function readPartial(
  partial: PartialImage,
  { progress }: Pick<BuildContext, "progress">,
): Promise<ImageSecrets | undefined> {
  const cutOff = await partial.cutOff();
  if (cutOff === "in Setup") {
    progress("an interrupted build cannot be continued: starts over");
  } else if (cutOff !== undefined) {
    progress(`a build was interrupted ${cutOff}: continues with its disk`);
  }
  return partial.kept();
}

async function makeDisk(disk: string): Promise<void> {
  const args = ["create", "-q", "-f", "qcow2", disk, `${imageDiskGiB}G`];
  const made = await runMediaProgram("qemu-img", args, programTimeoutSeconds);
  if (made.how !== "well") throw new Error(`no disk could be made as ${disk}: ${made.reason}`);
  await chmod(disk, 0o600);
}
