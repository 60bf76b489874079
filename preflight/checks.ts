import { smallPackets } from "../components/network/packet-size.ts";
import { thisHypervisor } from "../config/sections/machine-host.ts";
import { machineNodes, type Settings } from "../config/settings.ts";
import { installText, joinCommand, startCommand } from "../toolchain/host-packages.ts";
import { type HostFacts, providerTools } from "./host-facts.ts";
import type { HostProblem } from "../config/host-problem.ts";
import { unless } from "../config/problem.ts";
import { checkBridge, checkSegment } from "./network.ts";
import { checkDisks, checkInotify, checkMemory } from "./room.ts";
import { checkDocker } from "./docker.ts";
import { checkImage, checkLinuxArtifacts } from "./images.ts";
import { checkKvm } from "./kvm.ts";
import { controlPlaneNames, domainName, labNames, linuxWorkerName } from "../config/names.ts";

/** Debian's package of each tool. */
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
  checkBridge,
  checkSegment,
  checkNames,
  checkMemory,
  checkInotify,
  checkDisks,
];

/** Everything a lab with these settings can't be made with on a host like this. */
export function checkHost(settings: Settings, facts: HostFacts): HostProblem[] {
  return checks.flatMap((one) => one(settings, facts));
}

function checkTools(
  _settings: Settings,
  { missingTools, packageManager }: HostFacts,
): HostProblem[] {
  return missingTools.map((name) => ({
    subject: `The program ${name}`,
    why: `is not on the PATH; it ${providerTools[name]}`,
    instead: `Install it: ${installText(packageManager, [packages[name]])}.`,
  }));
}

/** The programs for the Windows nodes are known by their checksums, and in this host's cache. */
function checkPrograms(_settings: Settings, { programs }: HostFacts): HostProblem[] {
  const { unpinned, missing } = programs;
  return [
    ...unless(unpinned.length === 0, {
      subject: `The checksum of ${unpinned.join(", ")}`,
      why: "is not known, and nothing is installed without one",
      instead:
        "Run `./kindows fetch --stack <name>`, which takes those their publishers give, or write them into kindows:windows.checksums.",
    }),
    ...unless(missing.length === 0, {
      subject: `The Windows program ${missing.join(", ")}`,
      why: "is not in this host's cache",
      instead: "Run `./kindows fetch --stack <name>`.",
    }),
  ];
}

/** Hosts elsewhere can have the nodes that are placed on them. */
function checkOtherHosts(settings: Settings, { otherHosts, segmentMtu }: HostFacts): HostProblem[] {
  const isAlone = machineNodes(settings).every(({ hypervisor }) => hypervisor === thisHypervisor);
  return [
    ...otherHosts,
    // As soon as something is connected to this host's end of the segment that takes smaller packets, so does it.
    ...(isAlone
      ? []
      : smallPackets(`The bridge ${settings.network.bridge} of this host`, segmentMtu)),
  ];
}

/** libvirt is there, and its QEMU runs machines of the type asked for. */
function checkLibvirt(
  { hypervisor }: Settings,
  { libvirt, packageManager }: HostFacts,
): HostProblem[] {
  if (!libvirt.reachable) {
    return [
      {
        subject: `libvirt (${hypervisor.uri})`,
        why: `can't be reached: ${libvirt.error}`,
        instead: `Run \`make up\` as root, which installs and starts what is missing, or do so yourself: ${installText(packageManager, ["libvirt-daemon-system", "libvirt-clients", "qemu-system-x86"])}; ${startCommand("libvirt", packageManager)}. Who is not root has to be in its group: ${joinCommand("libvirt")}, then log in again.`,
      },
    ];
  }
  return libvirt.emulatorError === undefined
    ? []
    : [
        {
          subject: `libvirt (${hypervisor.uri})`,
          why: `can't run machines of kindows:hypervisor.domainType "${hypervisor.domainType}": ${libvirt.emulatorError}`,
          instead:
            hypervisor.domainType === "kvm"
              ? 'Make KVM work (see /dev/kvm), or, for a rehearsal, write "qemu".'
              : `Install QEMU: ${installText(packageManager, ["qemu-system-x86"])}.`,
        },
      ];
}

const instead = "Rename or remove it, or write another kindows:lab.name.";

/** Machines, containers and the pool of the lab's names are the lab's, or not there. */
function checkNames(settings: Settings, facts: HostFacts): HostProblem[] {
  return [...machines(settings, facts), ...pools(settings, facts), ...containers(settings, facts)];
}

/** A machine is the lab's when it is on the lab's network. */
function machines(settings: Settings, { libvirt }: HostFacts): HostProblem[] {
  const { lab } = settings;
  const names = machineNodes(settings)
    .filter(({ hypervisor }) => hypervisor === thisHypervisor)
    .map(({ name }) => domainName(lab.name, name));
  const { network } = labNames(lab.name);
  const domains = libvirt.reachable ? libvirt.domains : [];
  return domains
    .filter(({ name, networks }) => names.includes(name) && !networks.includes(network))
    .map(({ name }) => ({
      subject: `libvirt's machine ${name}`,
      why: "has the name of a node's, but is not on the lab's network",
      instead,
    }));
}

/** libvirt lets no two pools share a folder. */
function pools({ lab }: Settings, { libvirt }: HostFacts): HostProblem[] {
  const { pool, poolFolder } = labNames(lab.name);
  const all = libvirt.reachable ? libvirt.pools : [];
  return all
    .filter(({ name, path }) => (name === pool) !== (path === poolFolder))
    .map(({ name, path }) => ({
      subject: `libvirt's pool ${name}`,
      why:
        name === pool
          ? `has the lab's name, but is in ${path ?? "no folder"}`
          : `is in the lab's folder ${poolFolder}`,
      instead,
    }));
}

/** A container is the lab's when kind says so. */
function containers({ lab, cluster }: Settings, { docker }: HostFacts): HostProblem[] {
  const ofLab = labNames(lab.name).kindCluster;
  const names = [
    ...controlPlaneNames(ofLab, cluster.controlPlanes),
    ...cluster.workers.map(({ name }) => linuxWorkerName(ofLab, name)),
  ];
  const all = docker.reachable ? docker.containers : [];
  return all
    .filter(({ name, kindCluster }) => names.includes(name) && kindCluster !== ofLab)
    .map(({ name }) => ({
      subject: `Docker's container ${name}`,
      why: "has the name of a node's, but is not of the lab's kind cluster",
      instead,
    }));
}
