import path from "node:path";
import {
  calicoDefinitions,
  definitionsName,
} from "../../components/cni/calico/definitions-artifact.ts";
import { loadBalancerImage } from "../../images/load-balancer/artifact.ts";
import { loadBalancerReference } from "../../components/controlplane/load-balancer.ts";
import { nodeImage, nodeImageReference } from "../../images/node/artifact.ts";
import { archiveName } from "../../images/node/build-node-image.ts";
import { linuxDiskName, linuxImage } from "../../images/linux/artifact.ts";
import { linuxPrograms, programsName } from "../../images/linux/programs.ts";
import type { Settings } from "../../config/settings.ts";
import { stackNeeds, type StackNeeds } from "../../stacks/stack-needs.ts";
import { bakedRehearsalImage } from "../../rehearsal/bake/artifact.ts";
import { diskName, manifestName, rehearsalImage } from "../../rehearsal/image/artifact.ts";
import type { Artifact, Progress } from "../../toolchain/artifact.ts";
import {
  recordBuilt,
  type BuiltArtifacts,
  builtSoFar,
  convertedFrom,
} from "../../toolchain/built.ts";
import { recordedSha256 } from "../../toolchain/cache-marker.ts";
import { Cache } from "../../toolchain/cache.ts";
import { removeCompilerCaches } from "../../toolchain/compiler-caches.ts";
import { ensureDaemons } from "../../toolchain/daemons.ts";
import {
  checkArtifacts,
  missingArtifacts,
  type EnsuredArtifacts,
  type EnsureOptions,
} from "../../toolchain/ensure.ts";
import { ensureHostPackages } from "../../toolchain/host-packages.ts";
import { isNamed, locatedLinuxImage } from "../../images/linux/located.ts";
import { builtImage } from "../../images/windows/builder/built-image.ts";
import { isMadeFromIso } from "../../images/windows/media.ts";
import { say } from "../progress.ts";
import { prepareCloudImage } from "./cloud-image.ts";
import { engineTools, prepareEngine } from "../engine/prepare-engine.ts";
import { ensureStackPackages, throwAny } from "./image-checks.ts";
import { defaultKubernetes } from "../../host/versions.ts";
import { Failure } from "../../host/failure.ts";
import { isBuiltHere, nodeImage as officialNodeImage } from "../../stacks/node-image.ts";
import { convertedDisk, convertedDiskNote } from "../../images/disk/converted-disk.ts";
import { windowsDisk } from "../../images/windows/windows-images.ts";
import { mustBeConverted } from "../../toolchain/disk-format.ts";
import { linuxDebian } from "../../images/linux/debian.ts";
import { roomProblems } from "../../images/disk/require-room.ts";
import { needs, total } from "../../stacks/room.ts";
import { rehearsalDebian } from "../../rehearsal/image/debian.ts";
import { kubernetesLinux, kubernetesWindows } from "../../toolchain/tools/table.ts";
import { runProgram } from "../../host/run-program.ts";
import { cacheRoot } from "../../toolchain/own-cache.ts";

/**
 * Installs everything that a stack needs on this host: packages, daemons, tools, images, the engine's home. What exists
 * is kept; if nothing is missing, this takes well under a second.
 *
 * @param lab the stack's settings, and what follows from them. Undefined for existing machines and an existing cluster,
 *   which need only the engine: no daemon, no hypervisor, no image.
 */
export async function prepare(lab: PreparedLab | undefined): Promise<void> {
  const options: EnsureOptions = {
    progress: say,
    ensurePackages: (names) => ensureHostPackages(names, say),
    ensureRoom: (missing) => requireRoomToPrepare(missing, lab?.settings, say),
  };
  if (lab === undefined) {
    await prepareEngine([], options, "existing");
  } else {
    await prepareLab(lab, options);
  }
  await removeCompilerCaches(new Cache(), "go", say);
}

export interface PreparedLab {
  readonly settings: Settings;
  readonly needs: StackNeeds;
}

async function prepareLab({ settings, needs }: PreparedLab, options: EnsureOptions): Promise<void> {
  // A user who may not install packages gets one message about all of them.
  const packages = await checkArtifacts([...engineTools.lab, ...machineImages(needs)]);
  const daemons = await ensureStackPackages(settings, packages, say);
  await ensureDaemons(settings.hypervisor.uri, daemons, { ...options, progress: say });

  const cloudImage = await prepareCloudImage(settings, options);
  const images = [...machineImages(needs), ...(await containerImages(settings, needs))];
  const disk = userDisk(needs, say);
  const release = needs.calico;
  const definitions = release && calicoDefinitions(release);
  const others = [disk?.artifact, definitions].filter((artifact) => artifact !== undefined);
  const ensured = await prepareEngine([...images, ...others], options);
  recordBuilt({
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
}

export function machineImages({
  windowsImage,
  linuxImage: linux,
}: Pick<StackNeeds, "windowsImage" | "linuxImage">): Artifact[] {
  const images: Artifact[] = [];
  if (windowsImage?.kind === "rehearsal") {
    images.push(windowsImage.baked ? bakedRehearsalImage : rehearsalImage);
  }
  if (linux !== undefined) images.push(...(isNamed(linux) ? [] : [linuxImage]), linuxPrograms);
  return images;
}

async function builtImages(
  images: readonly Artifact[],
  ensured: EnsuredArtifacts,
): Promise<Omit<BuiltArtifacts, "tools">> {
  const built = <T>(artifact: Artifact, describe: (folder: string) => T): T | undefined =>
    images.includes(artifact) ? describe(ensured.path(artifact)) : undefined;
  const archived = (reference: string) => (folder: string) => ({
    reference,
    archive: path.join(folder, archiveName),
  });
  return {
    nodeImage: built(nodeImage, archived(await nodeImageReference())),
    loadBalancerImage: built(loadBalancerImage, archived(loadBalancerReference)),
    rehearsalImage: await built(rehearsalImage, builtGuest),
    bakedRehearsalImage: await built(bakedRehearsalImage, builtGuest),
    linuxImage: await built(linuxImage, (folder) => builtDisk(folder, linuxDiskName)),
    linuxPrograms: await built(linuxPrograms, async (folder) => ({
      path: path.join(folder, programsName),
      sha256: await recordedSha256(folder, programsName),
    })),
  };
}

/** A disk that machines start from is identified by its content, which differs with each build. */
async function builtDisk(folder: string, name: string): Promise<{ path: string; hash: string }> {
  const hash = (await recordedSha256(folder, name)).slice(0, 12);
  return { path: path.join(folder, name), hash };
}

async function builtGuest(folder: string): Promise<BuiltArtifacts["rehearsalImage"]> {
  return { ...(await builtDisk(folder, diskName)), manifest: path.join(folder, manifestName) };
}

const pullTimeoutSeconds = 900;

/** kind's images, unless the settings name one: built here if they were before, or the official one cannot be pulled. */
async function containerImages(
  settings: Settings,
  needs: StackNeeds,
): Promise<readonly Artifact[]> {
  const known = await knownContainerImages(settings, needs);
  if (known !== undefined) return known;
  const official = officialNodeImage(settings);
  say(`pulling ${official}`);
  const pull = await runProgram("docker", ["pull", "--quiet", official], pullTimeoutSeconds);
  if (pull.how === "well") return [];
  if (!isBuiltHere(settings.cluster)) {
    throw new Failure(
      `${official} cannot be pulled (${pull.reason}), and only Kubernetes ${defaultKubernetes} is built here: write that for kindows:cluster.kubernetesVersion, or kindows:cluster.nodeImage`,
    );
  }
  say(`the node image is built here, since the official one cannot be pulled: ${pull.reason}`);
  return builtContainerImages(needs);
}

/** The same without pulling; undefined if the official image is not on this host. */
async function knownContainerImages(
  settings: Settings,
  needs: StackNeeds,
): Promise<readonly Artifact[] | undefined> {
  if (needs.nodeImage !== undefined) return [];
  if (isBuiltHere(settings.cluster) && builtSoFar().nodeImage !== undefined) {
    return builtContainerImages(needs);
  }
  const inspect = ["image", "inspect", "--format", "{{.Id}}", officialNodeImage(settings)];
  return (await runProgram("docker", inspect, 30)).how === "well" ? [] : undefined;
}

function builtContainerImages({ loadBalancer }: StackNeeds): readonly Artifact[] {
  return [nodeImage, ...(loadBalancer ? [loadBalancerImage] : [])];
}

/** What `up` first has to build, fetch or convert for a stack, in the order of `prepare`. Only reads. */
export async function unprepared(settings: Settings): Promise<readonly string[]> {
  const needs = stackNeeds(settings);
  const { windowsImage: image, linuxImage: linux } = needs;
  const containers = await knownContainerImages(settings, needs);
  const missing = await missingArtifacts([...machineImages(needs), ...(containers ?? [])]);
  const lacksCloudImage =
    linux !== undefined && isNamed(linux) && locatedLinuxImage(linux) === "not prepared";
  const source =
    image?.kind === "disk" && mustBeConverted(image.path) && convertedFrom(image.path) === undefined
      ? image.path
      : undefined;
  return [
    ...(lacksCloudImage ? ["the cloud image"] : []),
    ...missing.map(({ name }) => name),
    ...(containers === undefined ? [officialNodeImage(settings)] : []),
    ...(source === undefined ? [] : [`a qcow2 copy of ${source}`]),
    ...(image !== undefined && isMadeFromIso(image) && builtImage(settings) === undefined
      ? ["the Windows image"]
      : []),
  ];
}

/** The disk in the settings, if it has to be converted. An invalid file is reported by the preflight. */
export function userDisk(
  { windowsImage: image }: Pick<StackNeeds, "windowsImage">,
  say: Progress,
  cache = new Cache(),
):
  { artifact: Artifact; record(folder: string): ReturnType<typeof convertedDiskNote> } | undefined {
  if (image?.kind !== "disk" || !mustBeConverted(image.path)) return undefined;
  const source = image.path;
  if (convertedFrom(source) === undefined) {
    say(`reading all of ${source} for its checksum`);
  }
  return {
    artifact: convertedDisk(source, windowsDisk, cache),
    record: (folder) => convertedDiskNote(source, folder, cache),
  };
}

/** Disk space for building a tool, in GiB: itself, and Go's caches until the stack is prepared. */
const toolGiB = 0.5;

/** Generous estimates for large artifacts. Kept here, because an artifact's own sources determine its address. */
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

/** Checks, before anything is built, the disk space that preparing takes at its peak; says how much the lab takes. */
export async function requireRoomToPrepare(
  missing: readonly Artifact[],
  settings: Settings | undefined,
  say: Progress,
): Promise<void> {
  const neededGiB = missing.reduce(
    (sum, each) => sum + (largeGiB.get(each) ?? ("tool" in each ? toolGiB : 0)),
    0,
  );
  if (neededGiB === 0) return;
  throwAny(await roomProblems(cacheRoot(), neededGiB, "building what is missing", say));
  if (settings !== undefined) {
    // Its machines' disks and its containers. The preflight subtracts what exists already.
    const all = needs(settings, { docker: unknownDaemon, libvirt: unknownDaemon });
    const gib = total(all, "poolGiB") + total(all, "dockerGiB");
    say(`the lab then takes up to ${gib} GiB of disk`);
  }
}

const unknownDaemon = { reachable: false, error: "" } as const;
