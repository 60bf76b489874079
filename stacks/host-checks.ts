import { smallPackets } from "../components/network/packet-size.ts";
import { thisHypervisor } from "../config/sections/machine-host.ts";
import { type Settings } from "../config/settings.ts";
import { installText } from "../toolchain/host-packages.ts";
import { type HostFacts, providerTools } from "./host-facts.ts";
import type { HostProblem } from "../config/host-problem.ts";
import { unless } from "../config/problem.ts";
import { checkBridge, checkSegment } from "../components/network/segment-readiness.ts";
import { checkFirewalld, checkListeners } from "../components/network/host-services.ts";
import { checkDisks, checkInotify, checkMemory } from "./room.ts";
import { checkDocker, unreachable } from "../components/controlplane/docker-readiness.ts";
import { checkRegistryPort } from "../components/controlplane/registry-readiness.ts";
import { checkImageArchives } from "../components/image-archives/readiness.ts";
import { checkImage, checkLinuxArtifacts } from "./image-readiness.ts";
import { checkKvm } from "../components/machine/libvirt/kvm.ts";
import {
  controlPlaneNames,
  domainName,
  labNames,
  linuxWorkerName,
  poolFolderOf,
  registryName,
} from "../config/names.ts";
import { machineNodes } from "../config/sections/nodes.ts";

const packages = { mkisofs: "genisoimage", xsltproc: "xsltproc" } as const;

const checks: readonly ((settings: Settings, facts: HostFacts) => HostProblem[])[] = [
  checkDocker,
  checkLibvirt,
  checkKvm,
  checkOtherHosts,
  checkTools,
  checkImage,
  checkPrograms,
  checkLinuxArtifacts,
  checkImageArchives,
  checkBridge,
  checkSegment,
  checkListeners,
  checkFirewalld,
  checkRegistryPort,
  checkNames,
  checkMemory,
  checkInotify,
  checkDisks,
];

export function checkHost(settings: Settings, facts: HostFacts): HostProblem[] {
  return checks.flatMap((one) => one(settings, facts));
}

function checkTools(
  _settings: unknown,
  { missingTools, packageManager }: HostFacts,
): HostProblem[] {
  return missingTools.map((name) => ({
    subject: `The program ${name}`,
    why: `is not on the PATH; it ${providerTools[name]}`,
    instead: `Install it: ${installText(packageManager, [packages[name]])}.`,
  }));
}

function checkPrograms(_settings: unknown, { programs }: HostFacts): HostProblem[] {
  const { unpinned, missing } = programs;
  return [
    ...unless(unpinned.length === 0, {
      subject: `The checksum of ${unpinned.join(", ")}`,
      why: "is not known, and nothing is installed without one",
      instead:
        "Run `./kindows fetch --stack <name>`, which uses the publishers' checksums, or write them into kindows:windows.checksums.",
    }),
    ...unless(missing.length === 0, {
      subject: `The Windows program ${missing.join(", ")}`,
      why: "is not in this host's cache",
      instead: "Run `./kindows fetch --stack <name>`.",
    }),
  ];
}

function checkOtherHosts(settings: Settings, { otherHosts, segmentMtu }: HostFacts): HostProblem[] {
  const isAlone = machineNodes(settings).every(({ hypervisor }) => hypervisor === thisHypervisor);
  return [
    ...otherHosts,
    // The bridge allows only packets that everything connected to it can take.
    ...(isAlone
      ? []
      : smallPackets(
          ...([`The bridge ${settings.network.bridge} of this host`, segmentMtu] as const),
          settings.network.mtu,
        )),
  ];
}

function checkLibvirt(
  { hypervisor: { uri, domainType } }: Settings,
  { libvirt, packageManager }: HostFacts,
): HostProblem[] {
  const subject = `libvirt (${uri})`;
  if (!libvirt.reachable) {
    const packages = ["libvirt-daemon-system", "libvirt-clients", "qemu-system-x86"];
    return [{ subject, ...unreachable("libvirt", libvirt.error, packages, packageManager) }];
  }
  return unless(libvirt.emulatorError === undefined, {
    subject,
    why: `can't run machines of kindows:hypervisor.domainType "${domainType}": ${libvirt.emulatorError}`,
    instead:
      domainType === "kvm"
        ? 'Make KVM work (see /dev/kvm), or, for a rehearsal, write "qemu".'
        : `Install QEMU: ${installText(packageManager, ["qemu-system-x86"])}.`,
  });
}

/**
 * Finds machines, containers and pools that have the lab's names but are not the lab's. A machine is the lab's if it is
 * on the lab's network, a container if it has kind's label, and a pool if it has both the lab's name and the lab's
 * folder.
 */
function checkNames(settings: Settings, { docker, libvirt }: HostFacts): HostProblem[] {
  const { lab, cluster, registry } = settings;
  const { prefix, network, pool, kindCluster } = labNames(lab.name);
  const poolFolder = poolFolderOf(settings);
  const { domains, pools } = libvirt.reachable ? libvirt : { domains: [], pools: [] };
  const containers = docker.reachable ? docker.containers : [];
  const ownMachines = machineNodes(settings)
    .filter(({ hypervisor }) => hypervisor === thisHypervisor)
    .map(({ name }) => domainName(lab.name, name));
  const ownContainers = [
    ...controlPlaneNames(kindCluster, cluster.controlPlanes),
    ...cluster.workers.map(({ name }) => linuxWorkerName(kindCluster, name)),
  ];
  return [
    ...domains
      .filter(({ name, networks }) => ownMachines.includes(name) && !networks.includes(network))
      .map(({ name }) => ({
        subject: `libvirt's machine ${name}`,
        why: "has the name of one of the lab's machines, but is not on the lab's network",
      })),
    ...pools
      .filter(({ name, path }) => (name === pool) !== (path === poolFolder))
      .map(({ name, path }) => ({
        subject: `libvirt's pool ${name}`,
        why:
          name === pool
            ? `has the lab's name, but is in ${path ?? "no folder"}`
            : `is in the lab's folder ${poolFolder}`,
      })),
    ...containers
      .filter((one) => ownContainers.includes(one.name) && one.kindCluster !== kindCluster)
      .map(({ name }) => ({
        subject: `Docker's container ${name}`,
        why: "has the name of one of the lab's nodes, but does not belong to the lab's kind cluster",
      })),
    ...containers
      .filter((one) => registry && one.name === registryName(prefix) && one.registryOf !== prefix)
      .map(({ name }) => ({
        subject: `Docker's container ${name}`,
        why: "has the name of the lab's registry, but is not the lab's",
      })),
  ].map((problem) => ({
    ...problem,
    instead: "Rename or remove it, or write another kindows:lab.name.",
  }));
}
