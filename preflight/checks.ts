import { smallPackets } from "../components/network/packet-size.ts";
import { thisHypervisor } from "../config/sections/machine-host.ts";
import { machineNodes, type Settings } from "../config/settings.ts";
import { installText, joinCommand, startCommand } from "../toolchain/host-packages.ts";
import { needs } from "./footprint.ts";
import type { HostFacts } from "./host-facts.ts";
import { type HostProblem, unless } from "../config/host-problem.ts";
import { checkBridge, checkSegment } from "./network.ts";
import { checkDisks } from "./disks.ts";
import { checkDocker } from "./docker.ts";
import { checkImage } from "./image.ts";
import { checkInotify } from "./inotify.ts";
import { checkKvm } from "./kvm.ts";
import { checkLinuxArtifacts } from "./linux-artifacts.ts";
import { checkNames } from "./check-names.ts";
import { providerTools } from "./tools.ts";

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

/** What is still to be made fits into the memory that can be had. */
function checkMemory(settings: Settings, facts: HostFacts): HostProblem[] {
  const needed = needs(settings, facts).filter(({ memoryMiB }) => memoryMiB > 0);
  const total = needed.reduce((sum, { memoryMiB }) => sum + memoryMiB, 0);
  const { availableMiB, totalMiB } = facts.memory;
  return unless(total <= availableMiB, {
    subject: "Memory",
    why: `of ${total} MiB is needed (${needed.map((one) => `${one.what} ${one.memoryMiB}`).join(", ")}), ${availableMiB} of ${totalMiB} MiB are available`,
    instead: "Have fewer nodes, write less for kindows:windows.memoryMiB, or stop something else.",
  });
}

/** The programs libvirt's provider starts are there. */
function checkTools(_settings: Settings, { tools, packageManager }: HostFacts): HostProblem[] {
  return tools.missing.map((name) => ({
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
