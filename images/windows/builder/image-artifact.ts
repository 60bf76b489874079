import { chmod, copyFile, mkdir, rename, rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import path from "node:path";
import { firmwareOf } from "../../../config/sections/windows-image.ts";
import type { Settings } from "../../../config/settings.ts";
import type { Artifact, BuildContext } from "../../../toolchain/artifact.ts";
import type { Cache } from "../../../toolchain/cache.ts";
import { flushFile } from "../../../toolchain/flush-file.ts";
import { bakeOf, nodeImages, type Bake } from "../bake.ts";
import { examineDisk } from "../../disk/examine-disk.ts";
import { windowsDisk } from "../windows-images.ts";
import { examineMedia } from "../examine-media.ts";
import { newImageSecrets, withImageDisc, type ImageSecrets } from "../image-disc.ts";
import { isoImageOf } from "../media.ts";
import { runMediaProgram } from "../../disk/media-program.ts";
import { requireRoom } from "../../disk/require-room.ts";
import { imageDiskGiB, screenSocket, uefiVariables } from "./qemu-command.ts";
import { imageInputs } from "./image-inputs.ts";
import { watchInterruption } from "../../../host/interruption.ts";
import { NotResumed } from "./build-stages.ts";
import { PartialImage, writeImageNote } from "./partial-image.ts";
import { runBuilder } from "./run-builder.ts";
import { registriesOf } from "./way-out.ts";
import type { ImageBuild } from "./seal-image.ts";
import { findUefiFirmware, uefiPackages } from "./uefi-firmware.ts";
import { stackSoftware } from "../../../components/windows/stack-software.ts";

export const imageArtifactName = "windows-image";

export const imageFile = "windows.qcow2";

/** Folder of the screenshots from the build of an image. */
function screensBeside(logFile: string): string {
  return logFile.replace(/\.log$/, ".screens");
}

/** Overrides for tests, which install a small and slow stand-in for Windows. */
export interface BuilderChanges {
  readonly memoryMiB?: number;
  readonly slowness?: number;
  readonly emulator?: string;
  /** Steps to bake into the image. */
  readonly bake?: Bake;
  /** Disk space that must be free before the build, in GiB. */
  readonly neededGiB?: number;
}

/**
 * Memory of the machine that an image is built on. Setup needs 2 GiB for Server with a desktop; more makes it faster.
 */
export const builderMemoryMiB = 4096;

/** More CPUs do not make Setup faster. */
const maxCpus = 4;

/**
 * Disk space that Windows takes until it is sealed. 15 GiB were enough for Core (sig-windows-dev-tools); a desktop
 * takes more. This is an estimate, not a measurement.
 */
const neededGiB = 20;

/** Additional space for an update, on the CD and unpacked on the disk. An estimate. */
const updateGiB = 8;

/** Disk space, in GiB, that building an image takes in the cache, besides its media. */
export function imageRoomGiB(withUpdate: boolean): number {
  return neededGiB + (withUpdate ? updateGiB : 0);
}

const programTimeoutSeconds = 120;

type ImageStack = Pick<Settings, "windows" | "hypervisor" | "cluster" | "cni" | "given">;

/**
 * The Windows image of a stack whose settings name an ISO. It is installed once, on a temporary machine in a plain
 * QEMU, and kept in the cache under a hash of its inputs.
 */
export function windowsImage(
  { windows, hypervisor, cluster, cni, given }: ImageStack,
  cache: Cache,
  changes: BuilderChanges = {},
): Artifact {
  const withUefi = firmwareOf(windows) === "uefi";
  const bake = (): Bake => {
    const software = stackSoftware({ windows, cluster });
    return changes.bake ?? bakeOf(software, nodeImages({ windows, cluster, cni }, software), given);
  };
  return {
    name: imageArtifactName,
    needs: [],
    hostPackages: [
      ...["p7zip-full", "qemu-system-x86", "qemu-utils", "xorriso"],
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

interface Build extends Pick<Settings, "windows" | "hypervisor"> {
  readonly cache: Cache;
  readonly bake: Bake;
  readonly changes: BuilderChanges;
  readonly into: string;
  readonly context: BuildContext;
  readonly signal: AbortSignal;
}

async function build(all: Build): Promise<void> {
  const { windows, hypervisor, cache, bake, changes, into, context, signal } = all;
  const { progress, logFile } = context;
  const { edition, language } = isoImageOf(windows);
  const firmware = firmwareOf(windows);
  const partial = new PartialImage(cache, path.basename(logFile, ".log"));
  const cutOff = await partial.cutOff();
  const kept = await partial.kept();
  if (kept === undefined) {
    if (cutOff !== undefined) progress("an interrupted build cannot be continued: starts over");
    await partial.remove();
    await requireRoom(into, changes.neededGiB ?? imageRoomGiB(false), "making the image");
  } else {
    progress(`a build was interrupted ${cutOff}: continues with its disk`);
  }
  progress("looks at the media");
  const media = await examineMedia(windows, cache);
  if (media.update !== undefined && kept === undefined) {
    await requireRoom(into, changes.neededGiB ?? imageRoomGiB(true), "an image with an update");
  }
  const { name, build: buildOnIso, revision: revisionOnIso } = media.windows.image;
  const onIso = `${buildOnIso}.${revisionOnIso}`;
  const uefi = firmware === "uefi" ? findUefiFirmware() : undefined;
  const screens = screensBeside(logFile);
  await rm(screens, { recursive: true, force: true });
  const install = async (resumed: ImageSecrets | undefined): Promise<ImageBuild> => {
    const secrets = resumed ?? newImageSecrets();
    // For QEMU's sockets, and the disc with keys and a password. Removed once the image exists.
    const folder = path.join(into, "private");
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { mode: 0o700 });
    if (uefi !== undefined) {
      const variables = resumed === undefined ? uefi.variables : partial.uefiVariables;
      await copyFile(variables, path.join(folder, uefiVariables));
    }
    if (resumed === undefined) {
      await partial.begin();
      await makeDisk(partial.disk);
    }
    progress(
      `${resumed === undefined ? "installs" : "continues"} ${name}, build ${onIso}; screenshots: ${screens}; ` +
        `live screen: vncviewer ${path.join(folder, screenSocket)}`,
    );
    const found = await withImageDisc(folder, windows, media, bake, secrets, (config) =>
      runBuilder({
        machine: {
          accelerator: hypervisor.domainType === "kvm" ? "kvm" : "tcg",
          cpus: Math.min(maxCpus, availableParallelism()),
          memoryMiB: changes.memoryMiB ?? builderMemoryMiB,
          uefi,
          folder,
          disk: partial.disk,
          discs: [media.windows.path, config],
        },
        logFile,
        screens,
        progress,
        signal,
        isResumed: resumed !== undefined,
        slowness: changes.slowness,
        emulator: changes.emulator,
        partial,
        secrets,
        registries: registriesOf(bake.images),
      }),
    );
    await rm(folder, { recursive: true });
    return found;
  };
  const disk = path.join(into, imageFile);
  let found: ImageBuild;
  try {
    found = await install(kept).catch((error: unknown) => {
      if (!(error instanceof NotResumed)) throw error;
      progress(`${error.message}; it is discarded, and the build starts over`);
      return install(undefined);
    });
    await rename(partial.disk, disk);
  } finally {
    // Also after a failure: only a killed build is resumed.
    await partial.remove();
  }
  if (media.update !== undefined && found.revision === revisionOnIso) {
    progress(`warning: the update changed nothing: Windows is ${onIso}, as on the ISO`);
  }
  await examineDisk(disk, windowsDisk);
  // QEMU flushed nothing during the build.
  await flushFile(disk);
  await writeImageNote(into, { version: windows.version, edition, language, ...found });
}

async function makeDisk(disk: string): Promise<void> {
  const args = ["create", "-q", "-f", "qcow2", disk, `${imageDiskGiB}G`];
  const made = await runMediaProgram("qemu-img", args, programTimeoutSeconds);
  if (made.how !== "well") {
    throw new Error(`qemu-img could not create the disk ${disk}: ${made.reason}`);
  }
  await chmod(disk, 0o600);
}
