import { readFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { gatherLibvirt } from "../components/machine/libvirt/libvirt-facts.ts";
import { fabricProblems } from "../components/network/fabric/readiness.ts";
import { hostProblemsElsewhere } from "../components/machine/machine-makers.ts";
import { localRegistry } from "../config/local-registry.ts";
import type { Settings } from "../config/settings.ts";
import { stackNeeds } from "./stack-needs.ts";
import { thisPackageManager } from "../toolchain/host-packages.ts";
import { gatherConfinement } from "../components/machine/libvirt/confinement.ts";
import { gatherDisks, gatherInotify, gatherMemory } from "./room.ts";
import { gatherDocker } from "../components/controlplane/docker-readiness.ts";
import { gatherImage, gatherLinuxArtifacts } from "./image-readiness.ts";
import { gatherImageArchives } from "../components/image-archives/readiness.ts";
import { gatherKvm } from "../components/machine/libvirt/kvm.ts";
import { gatherNetwork } from "../components/network/segment-readiness.ts";
import { gatherListener, gatherServices } from "../components/network/host-services.ts";
import { fileNameOf } from "../components/windows/media-folder.ts";
import { findOnPath } from "../host/search-path.ts";
import { pushedSoftware } from "../components/windows/stack-software.ts";

type Questions = ReturnType<typeof questionsOf>;

export type HostFacts = { readonly [Key in keyof Questions]: Awaited<Questions[Key]> };

export async function hostFacts(settings: Settings): Promise<HostFacts> {
  const answers = Object.entries(questionsOf(settings)).map(
    async ([name, answer]) => [name, await answer] as const,
  );
  return Object.fromEntries(await Promise.all(answers)) as HostFacts;
}

function questionsOf(settings: Settings) {
  const docker = gatherDocker();
  return {
    packageManager: thisPackageManager(),
    docker,
    libvirt: gatherLibvirt(settings.hypervisor),
    kvm: gatherKvm(settings.hypervisor.domainType),
    confinement: gatherConfinement(),
    network: gatherNetwork(),
    services: gatherServices(),
    /** Who has the registry's port of this host. */
    registryPort: settings.registry ? gatherListener(localRegistry.hostPort) : undefined,
    memory: gatherMemory(),
    inotify: gatherInotify(),
    disks: docker.then((found) => gatherDisks(settings, found)),
    imageArchives: gatherImageArchives(settings),
    missingTools: missingTools(),
    image: gatherImage(settings),
    programs: gatherPrograms(settings),
    linuxArtifacts: gatherLinuxArtifacts(settings),
    /** Problems of the other hosts that nodes are placed on, and of the network that connects them with this host. */
    otherHosts: Promise.all([hostProblemsElsewhere(settings), fabricProblems(settings)]).then(
      (found) => found.flat(),
    ),
    /** Largest packet on this host's bridge of the lab, in bytes; undefined if the bridge does not exist yet. */
    segmentMtu: readFile(`/sys/class/net/${settings.network.bridge}/mtu`, "utf8").then(
      Number,
      () => undefined,
    ),
  };
}

function gatherPrograms(settings: Settings) {
  const all = pushedSoftware(settings, stackNeeds(settings).pushedPrograms);
  const artifacts = all.map(([, artifact]) => artifact);
  const isFetched = ({ origin }: (typeof artifacts)[number]): boolean =>
    origin === "image" || (origin.folder !== undefined && existsSync(origin.folder));
  return {
    unpinned: artifacts.filter(({ sha256 }) => sha256 === undefined).map(fileNameOf),
    missing: artifacts
      .filter((artifact) => artifact.sha256 !== undefined && !isFetched(artifact))
      .map(fileNameOf),
  };
}

/** Programs that the libvirt provider starts, and their purposes. */
export const providerTools = {
  mkisofs: "writes the machines' identity disks",
  xsltproc: "completes the machines' descriptions",
} as const;

export async function missingTools(
  searchPath = process.env["PATH"] ?? "",
): Promise<readonly (keyof typeof providerTools)[]> {
  const names = Object.keys(providerTools) as (keyof typeof providerTools)[];
  const found = await Promise.all(names.map((name) => findOnPath(name, searchPath)));
  return names.filter((_, index) => found[index] === undefined);
}
