import path from "node:path";

import {
  calicoDefinitions,
  definitionsName,
} from "../../components/cni/calico/definitions-artifact.ts";
import { calicoRelease } from "../../components/cni/calico/release.ts";
import { loadBalancerImage } from "../../components/controlplane/load-balancer-image/artifact.ts";
import { loadBalancerReference } from "../../components/controlplane/load-balancer-image/reference.ts";
import {
  nodeImage,
  nodeImageReference,
} from "../../components/controlplane/node-image/artifact.ts";
import { archiveName } from "../../components/controlplane/node-image/build-node-image.ts";
import { linuxDiskName, linuxImage } from "../../components/linux/image/artifact.ts";
import { linuxPrograms, programsName } from "../../components/linux/programs/artifact.ts";
import type { Settings } from "../../config/settings.ts";
import { bakedRehearsalImage } from "../../rehearsal/bake/artifact.ts";
import { diskName, manifestName, rehearsalImage } from "../../rehearsal/image/artifact.ts";
import type { Artifact, Progress } from "../../toolchain/artifact.ts";
import { recordBuilt } from "../../toolchain/built.ts";
import type { BuiltArtifacts } from "../../toolchain/built.ts";
import { recordedSha256 } from "../../toolchain/cache-marker.ts";
import { Cache } from "../../toolchain/cache.ts";
import { removeCompilerCaches } from "../../toolchain/compiler-caches.ts";
import { ensureDaemons } from "../../toolchain/daemons.ts";
import { checkArtifacts, type EnsuredArtifacts } from "../../toolchain/ensure.ts";
import { ensureHostPackages } from "../../toolchain/host-packages.ts";
import { isNamed } from "../../components/linux/cloud-image/located.ts";
import { prepareCloudImage } from "./cloud-image.ts";
import { mustBuildNodeImage } from "./node-image-choice.ts";
import { engineNeeds, prepareEngine } from "../../toolchain/prepare-engine.ts";
import { requireRoomToPrepare } from "./room.ts";
import { ensureStackPackages } from "./stack-packages.ts";
import { userDisk } from "./user-disk.ts";

/**
 * Puts in place all that a stack needs on this host: packages, daemons, tools, images, the engine's home. What is there
 * stays as it is; when all of it is, this takes well under a second.
 *
 * @param settings of the stack: what it needs.
 * @param say gets one line for whatever takes time.
 * @throws with what to do, when something is missing that it may not or cannot get by itself.
 */
export async function prepare(settings: Settings, say: Progress): Promise<void> {
  const ensurePackages = (names: readonly string[]): Promise<void> =>
    ensureHostPackages(names, say);
  const options = {
    progress: say,
    ensurePackages,
    ensureRoom: (missing: readonly Artifact[]) => requireRoomToPrepare(missing, settings, say),
  };
  const { uri } = settings.hypervisor;
  // Whoever may not install packages is told of all of them at once.
  const packages = await checkArtifacts([...engineNeeds.lab.tools, ...machineImages(settings)]);
  const daemons = await ensureStackPackages(settings, packages, say);
  await ensureDaemons(uri, daemons, options);

  const cloudImage = await prepareCloudImage(settings, options);
  const images = await imagesFor(settings, say);
  const disk = userDisk(settings, say);
  const release =
    settings.cni.kind === "calico" ? calicoRelease(settings.cni.calico.version) : undefined;
  const definitions = release && calicoDefinitions(release);
  const ensured = await prepareEngine(
    [...images, disk?.artifact, definitions].filter((artifact) => artifact !== undefined),
    options,
  );
  await recordBuilt({
    tools: {},
    ...(await builtImages(images, ensured)),
    calicoDefinitions: release &&
      definitions && {
        [release.definitionsSha256]: path.join(ensured.path(definitions), definitionsName),
      },
    cloudImages: cloudImage.cloudImages,
    convertedDisks: {
      ...cloudImage.convertedDisks,
      ...(await disk?.record(ensured.path(disk.artifact))),
    },
  });
  await removeCompilerCaches(new Cache(), "go", say);
}

/** Images to build, the one with the longest way to go first. */
async function imagesFor(settings: Settings, say: Progress): Promise<readonly Artifact[]> {
  const images = machineImages(settings);
  if (await mustBuildNodeImage(settings, say)) {
    images.push(nodeImage);
    if (settings.cluster.controlPlanes > 1) {
      images.push(loadBalancerImage);
    }
  }
  return images;
}

/** Those for virtual machines. */
function machineImages(settings: Settings): Artifact[] {
  const images: Artifact[] = [];
  const { image } = settings.windows;
  if (image.kind === "rehearsal") {
    images.push(image.baked ? bakedRehearsalImage : rehearsalImage);
  }
  if (settings.linuxNodes.length > 0) {
    images.push(...(isNamed(settings.linux.image) ? [] : [linuxImage]), linuxPrograms);
  }
  return images;
}

async function builtImages(
  images: readonly Artifact[],
  ensured: EnsuredArtifacts,
): Promise<Omit<BuiltArtifacts, "tools">> {
  const image = (artifact: Artifact, reference: string): BuiltArtifacts["nodeImage"] =>
    images.includes(artifact)
      ? { reference, archive: path.join(ensured.path(artifact), archiveName) }
      : undefined;
  const guest = async (artifact: Artifact): Promise<BuiltArtifacts["rehearsalImage"]> =>
    images.includes(artifact) ? builtGuest(ensured.path(artifact)) : undefined;
  return {
    nodeImage: image(nodeImage, await nodeImageReference()),
    loadBalancerImage: image(loadBalancerImage, loadBalancerReference),
    rehearsalImage: await guest(rehearsalImage),
    bakedRehearsalImage: await guest(bakedRehearsalImage),
    ...(images.includes(linuxImage) && {
      linuxImage: await builtLinuxImage(ensured.path(linuxImage)),
    }),
    ...(images.includes(linuxPrograms) && {
      linuxPrograms: await builtLinuxPrograms(ensured.path(linuxPrograms)),
    }),
  };
}

/** What Linux machines start from, known by its content as well. */
async function builtLinuxImage(folder: string): Promise<BuiltArtifacts["linuxImage"]> {
  return {
    path: path.join(folder, linuxDiskName),
    hash: (await recordedSha256(folder, linuxDiskName)).slice(0, 12),
  };
}

/** What Linux machines get. */
async function builtLinuxPrograms(folder: string): Promise<BuiltArtifacts["linuxPrograms"]> {
  return {
    path: path.join(folder, programsName),
    sha256: await recordedSha256(folder, programsName),
  };
}

/** The disk is known by its content: made again it is another one, and so are the programs' checksums in its manifest. */
async function builtGuest(folder: string): Promise<BuiltArtifacts["rehearsalImage"]> {
  return {
    path: path.join(folder, diskName),
    hash: (await recordedSha256(folder, diskName)).slice(0, 12),
    manifest: path.join(folder, manifestName),
  };
}
