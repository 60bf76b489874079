import { readFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { gatherLibvirt, type LibvirtFacts } from "../components/machine/libvirt/libvirt-facts.ts";
import { fabricProblems } from "../components/network/fabric/readiness.ts";
import { hostProblemsElsewhere } from "../components/machine/registry.ts";
import type { Gathered, HostProblem } from "../config/host-problem.ts";
import type { Settings } from "../config/settings.ts";
import { type PackageManager, thisPackageManager } from "../toolchain/host-packages.ts";
import { type ConfinementFacts, gatherConfinement } from "./confinement.ts";
import {
  type DiskFacts,
  gatherDisks,
  gatherInotify,
  gatherMemory,
  type InotifyFacts,
  type MemoryFacts,
} from "./room.ts";
import { type DockerFacts, gatherDocker } from "./docker.ts";
import {
  gatherImage,
  gatherLinuxArtifacts,
  type ImageFacts,
  type LinuxArtifactFacts,
} from "./images.ts";
import { gatherKvm, type KvmFacts } from "./kvm.ts";
import { gatherNetwork, type NetworkFacts } from "./network.ts";
import { fileNameOf } from "../components/windows/media-folder.ts";
import { programArtifacts, stackSoftware } from "../components/windows/software.ts";
import { findOnPath } from "../host/search-path.ts";

/** What this host has, as far as a lab depends on it. */
export interface HostFacts {
  /** By which packages are installed here; undefined where it is none that is known. */
  readonly packageManager: PackageManager | undefined;
  readonly docker: Gathered<DockerFacts>;
  readonly libvirt: Gathered<LibvirtFacts>;
  readonly kvm: KvmFacts;
  readonly confinement: ConfinementFacts;
  readonly network: NetworkFacts;
  readonly memory: MemoryFacts;
  readonly inotify: InotifyFacts;
  readonly disks: DiskFacts;
  /** Those of libvirt's provider that are missing. */
  readonly missingTools: readonly (keyof typeof providerTools)[];
  readonly image: ImageFacts;
  readonly programs: ProgramFacts;
  /** What Linux machines start from and get; undefined where there are none. */
  readonly linuxArtifacts?: LinuxArtifactFacts | undefined;
  /** What is in the way on other hosts that nodes are placed on, and of the network that connects them with this one. */
  readonly otherHosts: readonly HostProblem[];
  /** Largest packet on the lab's bridge here; undefined where there is none yet. */
  readonly segmentMtu?: number;
}

/** Asks this host for everything a lab with these settings depends on; all at once, every question bounded. */
export async function hostFacts(settings: Settings): Promise<HostFacts> {
  const docker = gatherDocker();
  return settled({
    packageManager: thisPackageManager(),
    docker,
    libvirt: gatherLibvirt(settings.hypervisor),
    kvm: gatherKvm(settings.hypervisor.domainType),
    confinement: gatherConfinement(),
    network: gatherNetwork(),
    memory: gatherMemory(),
    inotify: gatherInotify(),
    disks: docker.then((found) => gatherDisks(settings, found)),
    missingTools: missingTools(),
    image: gatherImage(settings),
    programs: gatherPrograms(settings),
    linuxArtifacts: gatherLinuxArtifacts(settings),
    otherHosts: Promise.all([hostProblemsElsewhere(settings), fabricProblems(settings)]).then(
      (found) => found.flat(),
    ),
    segmentMtu: gatherMtu(settings.network.bridge),
  });
}

/** An object of what all of these come to. */
async function settled<T extends object>(
  pending: T,
): Promise<{ readonly [Key in keyof T]: Awaited<T[Key]> }> {
  const entries = Object.entries(pending).map(async ([key, value]) => [key, await value] as const);
  return Object.fromEntries(await Promise.all(entries)) as { [Key in keyof T]: Awaited<T[Key]> };
}

/** Largest packet that an interface of this host takes, in bytes; undefined where there is no such interface. */
async function gatherMtu(networkInterface: string): Promise<number | undefined> {
  const text = await readFile(`/sys/class/net/${networkInterface}/mtu`, "utf8").catch(
    () => undefined,
  );
  return text === undefined ? undefined : Number(text);
}

/** What of the programs for Windows nodes is missing on this host, by file name. */
interface ProgramFacts {
  readonly unpinned: readonly string[];
  readonly missing: readonly string[];
}

/** Looks for the programs that are pushed to machines; a rehearsal's are in its image. */
function gatherPrograms(settings: Settings): ProgramFacts {
  if (settings.windows.image.kind === "rehearsal") return { unpinned: [], missing: [] };
  const artifacts = programArtifacts(stackSoftware(settings)).map(([, artifact]) => artifact);
  const isFetched = ({ origin }: (typeof artifacts)[number]): boolean =>
    origin === "image" || (origin.folder !== undefined && existsSync(origin.folder));
  return {
    unpinned: artifacts.filter(({ sha256 }) => sha256 === undefined).map(fileNameOf),
    missing: artifacts
      .filter((artifact) => artifact.sha256 !== undefined && !isFetched(artifact))
      .map(fileNameOf),
  };
}

/** Programs libvirt's provider starts, and what for. */
export const providerTools = {
  mkisofs: "writes the machines' identity disks",
  xsltproc: "completes the machines' descriptions",
} as const;

/** Looks for them on the PATH, as the provider will. */
export async function missingTools(
  searchPath = process.env["PATH"] ?? "",
): Promise<HostFacts["missingTools"]> {
  const names = Object.keys(providerTools) as (keyof typeof providerTools)[];
  const found = await Promise.all(names.map((name) => findOnPath(name, searchPath)));
  return names.filter((_, index) => found[index] === undefined);
}
