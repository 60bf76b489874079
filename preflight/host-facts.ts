import { readFile } from "node:fs/promises";
import type { Settings } from "../config/settings.ts";
import { thisPackageManager, type PackageManager } from "../toolchain/host-packages.ts";
import { probeConfinement, type ConfinementFacts } from "./probe-confinement.ts";
import { probeDisks, type DiskFacts } from "./probe-disks.ts";
import { probeDocker, type DockerFacts } from "./probe-docker.ts";
import { probeHypervisors, type HypervisorFacts } from "./probe-hypervisors.ts";
import { probeHyperV, type HyperVFacts } from "./probe-hyper-v.ts";
import { probeImage, type ImageFacts } from "./probe-image.ts";
import { probeInotify, type InotifyFacts } from "./probe-inotify.ts";
import { probeKvm, type KvmFacts } from "./probe-kvm.ts";
import { probeLibvirt, type LibvirtFacts } from "./probe-libvirt.ts";
import { probeLinuxMedia, type LinuxMediaFacts } from "./probe-linux-media.ts";
import { probeMemory, type MemoryFacts } from "./probe-memory.ts";
import { probeNetwork, type NetworkFacts } from "./probe-network.ts";
import type { Probed } from "./probed.ts";
import { probePrograms, type ProgramFacts } from "./probe-programs.ts";
import { probeTools, type ToolFacts } from "./probe-tools.ts";

/** What this host has, as far as a lab depends on it. */
export interface HostFacts {
  /** By which packages are installed here; undefined where it is none that is known. */
  readonly packageManager: PackageManager | undefined;
  readonly docker: Probed<DockerFacts>;
  readonly libvirt: Probed<LibvirtFacts>;
  readonly kvm: KvmFacts;
  readonly confinement: ConfinementFacts;
  readonly network: NetworkFacts;
  readonly memory: MemoryFacts;
  readonly inotify: InotifyFacts;
  readonly disks: DiskFacts;
  readonly tools: ToolFacts;
  readonly image: ImageFacts;
  readonly programs: ProgramFacts;
  /** What Linux machines start from and get; undefined where there are none. */
  readonly linuxMedia?: LinuxMediaFacts | undefined;
  /** Further hypervisors that nodes are placed on. */
  readonly hypervisors: readonly HypervisorFacts[];
  /** Hyper-V hosts that nodes are placed on. */
  readonly hyperVHosts: readonly HyperVFacts[];
  /** Largest packet on the lab's bridge here; undefined where there is none yet. */
  readonly segmentMtu?: number;
}

/** Asks this host for everything a lab with these settings depends on; all at once, every question bounded. */
export async function hostFacts(settings: Settings): Promise<HostFacts> {
  const docker = probeDocker();
  return settled({
    packageManager: thisPackageManager(),
    docker,
    libvirt: probeLibvirt(settings.hypervisor),
    kvm: probeKvm(settings.hypervisor.domainType),
    confinement: probeConfinement(),
    network: probeNetwork(),
    memory: probeMemory(),
    inotify: probeInotify(),
    disks: docker.then((found) => probeDisks(settings, found)),
    tools: probeTools(),
    image: probeImage(settings),
    programs: probePrograms(settings),
    linuxMedia: probeLinuxMedia(settings),
    hypervisors: probeHypervisors(settings),
    hyperVHosts: probeHyperV(settings),
    segmentMtu: probeMtu(settings.network.bridge),
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
async function probeMtu(networkInterface: string): Promise<number | undefined> {
  const text = await readFile(`/sys/class/net/${networkInterface}/mtu`, "utf8").catch(
    () => undefined,
  );
  return text === undefined ? undefined : Number(text);
}
