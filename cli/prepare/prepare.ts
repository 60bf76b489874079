import path from "node:path";
import {
  calicoDefinitions,
  definitionsName,
} from "../../components/cni/calico/definitions-artifact.ts";
import { examineArchives } from "../../components/image-archives/image-archives.ts";
import { throwAny } from "../../config/host-problem.ts";
import { localRegistry } from "../../config/local-registry.ts";
import type { Settings } from "../../config/settings.ts";
import { hasImage } from "../../host/docker.ts";
import { Failure } from "../../host/failure.ts";
import { runProgram } from "../../host/run-program.ts";
import { defaultKubernetes } from "../../host/versions.ts";
import { roomProblems } from "../../images/disk/require-room.ts";
import { isBuiltHere, nodeImage as officialNodeImage } from "../../stacks/node-image.ts";
import { needs, total } from "../../stacks/room.ts";
import { stackNeeds, type StackNeeds } from "../../stacks/stack-needs.ts";
import type { Artifact, Progress } from "../../toolchain/artifact.ts";
import { type BuiltArtifacts, builtSoFar, recordBuilt } from "../../toolchain/built.ts";
import { Cache } from "../../toolchain/cache.ts";
import { removeCompilerCaches } from "../../toolchain/compiler-caches.ts";
import { ensureDaemons } from "../../toolchain/daemons.ts";
import { checkArtifacts, missingArtifacts, type EnsureOptions } from "../../toolchain/ensure.ts";
import { ensureHostPackages } from "../../toolchain/host-packages.ts";
import { ensureLabPackages } from "../../toolchain/host-requirements.ts";
import { cacheRoot } from "../../toolchain/own-cache.ts";
import { kubernetesLinux, kubernetesWindows } from "../../toolchain/tools/table.ts";
import { settingsFile } from "../engine/folders.ts";
import { engineTools, prepareEngine } from "../engine/prepare-engine.ts";
import { requireConsent, type Consent } from "../fetch/consent.ts";
import { ensurePrograms, pushedPrograms } from "../fetch/programs.ts";
import { say } from "../progress.ts";
import type { DiskMaker } from "./disk-maker.ts";
import { diskMaker } from "./disk-makers.ts";
import type { StackPart } from "./stack-part.ts";

/**
 * Installs everything that a lab needs on this host: packages, daemons, tools, images, programs, the engine's home. What
 * exists is kept; if nothing is missing, this takes well under a second. First reports which archives of images can't be
 * used, and what prevents its image from being built; then asks whether to download what is missing.
 */
export async function prepareStack(
  stack: string,
  settings: Settings,
  consent: Consent,
): Promise<void> {
  const file = path.basename(settingsFile(stack));
  await examineArchives(settings.cluster.imageArchives, file, new Cache(), say);
  const needs = stackNeeds(settings);
  const disk = await diskMaker(needs);
  const installation = disk?.installation;
  await installation?.lookUp(settings);
  const mustBeMade = await installation?.mustBeMade(settings, new Cache(), say);
  const programs = pushedPrograms(settings, needs);
  const media = mustBeMade ? (installation?.downloads(settings).files ?? []) : [];
  await requireConsent([...programs, ...media], consent);
  await prepareTools(settings, needs, await machineParts(needs, disk));
  await ensurePrograms(programs);
  await installation?.make(settings);
}

/** The same for existing machines and an existing cluster, which need only the engine: no daemon, no hypervisor, no image. */
export async function prepareExisting(): Promise<void> {
  await prepareEngine([], ensuring(undefined, []), "existing");
  await removeCompilerCaches(new Cache(), "go", say);
}

function ensuring(settings: Settings | undefined, parts: readonly StackPart[]) {
  return {
    progress: say,
    ensurePackages: (names) => ensureHostPackages(names, say),
    ensureRoom: (missing) => requireRoomToPrepare(missing, settings, say, parts),
  } satisfies EnsureOptions;
}

async function prepareTools(
  settings: Settings,
  needs: StackNeeds,
  disks: readonly StackPart[],
): Promise<void> {
  // A user who may not install packages gets one message about all of them.
  const packages = await checkArtifacts([...engineTools.lab, ...artifactsOf(disks)]);
  const daemons = await ensureLabPackages(settings, packages, say);
  await ensureDaemons(settings.hypervisor.uri, daemons, ensuring(settings, disks));

  const cloudImage = await cloudImageOf(needs, ensuring(settings, disks));
  const containers = [
    ...(await containerImages(settings, needs)),
    ...(await registryImages(needs)),
  ];
  const parts = [...disks, ...containers, ...definitionParts(needs)];
  const ensured = await prepareEngine(artifactsOf(parts), ensuring(settings, parts));
  const notes = await Promise.all(parts.map(({ artifact, note }) => note(ensured.path(artifact))));
  recordBuilt(Object.assign({ tools: {} }, cloudImage, ...notes) as BuiltArtifacts);
  await removeCompilerCaches(new Cache(), "go", say);
}

function artifactsOf(parts: readonly StackPart[]): Artifact[] {
  return parts.map(({ artifact }) => artifact);
}

/** What is built or converted for a stack's machines. @param disk the maker of the disk of Windows machines */
export async function machineParts(
  { windowsImage, linuxImage }: StackNeeds,
  disk: DiskMaker | undefined,
): Promise<readonly StackPart[]> {
  const windows = windowsImage && disk?.parts?.(windowsImage, say);
  const linux = linuxImage && (await import("./linux-parts.ts")).linuxParts(linuxImage);
  return [...(windows ?? []), ...(linux ?? [])];
}

async function cloudImageOf(
  { linuxImage }: StackNeeds,
  options: EnsureOptions,
): Promise<Omit<BuiltArtifacts, "tools">> {
  if (linuxImage === undefined) return {};
  return (await import("./linux-parts.ts")).prepareCloudImage(linuxImage, options);
}

function definitionParts({ calico }: StackNeeds): readonly StackPart[] {
  if (calico === undefined) return [];
  const { definitionsSha256 } = calico;
  const note: StackPart["note"] = (folder) =>
    Promise.resolve({
      calicoDefinitions: { [definitionsSha256]: path.join(folder, definitionsName) },
    });
  return [{ artifact: calicoDefinitions(calico), note }];
}

const pullTimeoutSeconds = 900;

/** kind's images, unless the settings name one: built here if they were before, or the official one cannot be pulled. */
async function containerImages(
  settings: Settings,
  needs: StackNeeds,
): Promise<readonly StackPart[]> {
  const known = await knownContainerImages(settings, needs);
  if (known !== undefined) return known;
  const official = officialNodeImage(settings);
  const pull = await pulled(official);
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
): Promise<readonly StackPart[] | undefined> {
  if (needs.nodeImage !== undefined) return [];
  if (isBuiltHere(settings.cluster) && builtSoFar().nodeImage !== undefined) {
    return builtContainerImages(needs);
  }
  return (await hasImage(officialNodeImage(settings))) ? [] : undefined;
}

function pulled(image: string): ReturnType<typeof runProgram> {
  say(`pulling ${image}`);
  return runProgram("docker", ["pull", "--quiet", image], pullTimeoutSeconds);
}

/** The registry's image: built here if it was before, or the official one cannot be pulled. */
async function registryImages(needs: StackNeeds): Promise<readonly StackPart[]> {
  const known = await knownRegistryImages(needs);
  if (known !== undefined) return known;
  const pull = await pulled(localRegistry.image);
  if (pull.how === "well") return [];
  say(`the registry's image is built here, since it cannot be pulled: ${pull.reason}`);
  return builtRegistryImages();
}

/** The same without pulling; undefined if the official image is not on this host. */
async function knownRegistryImages({
  registry,
}: StackNeeds): Promise<readonly StackPart[] | undefined> {
  if (!registry) return [];
  // Where kind's image could not be pulled, neither can this one.
  const { registryImage, nodeImage } = builtSoFar();
  if (registryImage !== undefined || nodeImage !== undefined) return builtRegistryImages();
  return (await hasImage(localRegistry.image)) ? [] : undefined;
}

async function builtRegistryImages(): Promise<readonly StackPart[]> {
  return [await (await import("./container-parts.ts")).registryPart()];
}

async function builtContainerImages({ loadBalancer }: StackNeeds): Promise<readonly StackPart[]> {
  return (await import("./container-parts.ts")).containerParts(loadBalancer);
}

/** What `up` first has to build, fetch or convert for a stack, in the order of `prepare`. Only reads. */
export async function unprepared(settings: Settings): Promise<readonly string[]> {
  const needs = stackNeeds(settings);
  const { linuxImage: linux } = needs;
  const disk = await diskMaker(needs);
  const containers = await knownContainerImages(settings, needs);
  const registry = await knownRegistryImages(needs);
  const parts = await machineParts(needs, disk?.unmade ? undefined : disk);
  const missing = await missingArtifacts(
    artifactsOf([...parts, ...(containers ?? []), ...(registry ?? [])]),
  );
  const lacksCloudImage =
    linux !== undefined && (await import("./linux-parts.ts")).lacksCloudImage(linux);
  return [
    ...(lacksCloudImage ? ["the cloud image"] : []),
    ...missing.map(({ name }) => name),
    ...(containers === undefined ? [officialNodeImage(settings)] : []),
    ...(registry === undefined ? [localRegistry.image] : []),
    ...(disk?.unmade?.(settings) ?? []),
  ];
}

/** Disk space for building a tool, in GiB: itself, and Go's caches until the stack is prepared. */
const toolGiB = 0.5;

/** Of large tools. */
const largeTools: readonly (readonly [Artifact, number])[] = [
  [kubernetesLinux, 2.5],
  [kubernetesWindows, 2.5],
];

/** Checks, before anything is built, the disk space that preparing takes at its peak; says how much the lab takes. */
export async function requireRoomToPrepare(
  missing: readonly Artifact[],
  settings: Settings | undefined,
  say: Progress,
  parts: readonly StackPart[] = [],
): Promise<void> {
  const large = new Map([...largeTools, ...parts.flatMap(({ largeGiB = [] }) => largeGiB)]);
  const neededGiB = missing.reduce(
    (sum, each) => sum + (large.get(each) ?? ("tool" in each ? toolGiB : 0)),
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
