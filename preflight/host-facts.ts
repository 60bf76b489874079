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
  const [
    dockerAndDisks,
    libvirt,
    kvm,
    confinement,
    network,
    memory,
    inotify,
    tools,
    image,
    hypervisors,
    hyperVHosts,
    segmentMtu,
    linuxMedia,
    packageManager,
  ] = await Promise.all([
    probeDocker().then(async (docker) => ({ docker, disks: await probeDisks(settings, docker) })),
    probeLibvirt(settings.hypervisor),
    probeKvm(settings.hypervisor.domainType),
    probeConfinement(),
    probeNetwork(),
    probeMemory(),
    probeInotify(),
    probeTools(),
    probeImage(settings),
    probeHypervisors(settings),
    probeHyperV(settings),
    probeMtu(settings.network.bridge),
    probeLinuxMedia(settings),
    thisPackageManager(),
  ]);
  return {
    packageManager,
    ...dockerAndDisks,
    libvirt,
    kvm,
    confinement,
    network,
    memory,
    inotify,
    tools,
    image,
    programs: probePrograms(settings),
    linuxMedia,
    hypervisors,
    hyperVHosts,
    segmentMtu,
  };
}

/** Largest packet that an interface of this host takes, in bytes; undefined where there is no such interface. */
async function probeMtu(networkInterface: string): Promise<number | undefined> {
  const text = await readFile(`/sys/class/net/${networkInterface}/mtu`, "utf8").catch(
    () => undefined,
  );
  return text === undefined ? undefined : Number(text);
}
