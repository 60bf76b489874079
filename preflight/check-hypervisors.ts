import { machineNodes, type Settings } from "../config/settings.ts";
import { domainName, remotePool } from "../config/names.ts";
import { machineOverheadMiB } from "../config/placement.ts";
import { pathText } from "../config/problem.ts";
import type { HostFacts } from "./host-facts.ts";
import { type HostProblem, unless } from "../config/host-problem.ts";
import type { HypervisorFacts, RemoteHostFacts } from "./gather-hypervisors.ts";

/** What libvirt's networks, and machines on them, send in one packet. */
const segmentMtu = 1500;

/** Every further hypervisor that has nodes can have them. */
export function checkHypervisors(settings: Settings, facts: HostFacts): HostProblem[] {
  return [
    ...facts.hypervisors.flatMap((one) => checkOne(settings, one)),
    ...ownEnd(settings, facts),
  ];
}

type Remote = Settings["hypervisors"][number];

function checkOne(settings: Settings, facts: HypervisorFacts): HostProblem[] {
  const index = settings.hypervisors.findIndex(({ name }) => name === facts.name);
  const remote = settings.hypervisors[index];
  if (remote === undefined) {
    return [];
  }
  const setting = (key: string): string => pathText(["hypervisors", index, key]);
  if (facts.keyError !== undefined) {
    return [
      {
        subject: setting("privateKeyFile"),
        why: facts.keyError,
        instead:
          "Write the file of a private key that may log in there, without a passphrase: libvirt's provider asks for none.",
      },
    ];
  }
  const subject = `The hypervisor ${remote.name} (${remote.uri})`;
  const { libvirt } = facts;
  if (!libvirt.reachable) {
    return [{ subject, why: `can't be reached: ${libvirt.error}`, instead: unreachable(remote) }];
  }
  return [
    ...emulator(subject, remote, libvirt.emulatorError),
    ...names(settings, remote, libvirt),
    ...bridge(setting("bridge"), remote, libvirt.bridge),
    ...memory(settings, subject, remote, libvirt),
  ];
}

function unreachable({ name }: Remote): string {
  return (
    "See whether libvirtd and sshd run there, and whether key and host key are right. " +
    `To go on without its nodes: \`make up\`, which leaves them as they are (KINDOWS_AWAY=${name}, docs/fleet.md).`
  );
}

function emulator(subject: string, { name }: Remote, error: string | undefined): HostProblem[] {
  return unless(error === undefined, {
    subject,
    why: `can't run machines of its domainType: ${error}`,
    instead: `Install QEMU and make KVM work on ${name}, or, for a rehearsal, write "qemu".`,
  });
}

type Reached = Extract<HypervisorFacts["libvirt"], { reachable: true }>;

/** Machines and the pool of the lab's names there are the lab's, or not there. */
function names(settings: Settings, { name }: Remote, libvirt: Reached): HostProblem[] {
  const { lab } = settings;
  const pool = remotePool(lab.name, name);
  const instead = "Rename or remove it, or write another kindows:lab.name.";
  return [
    ...libvirt.pools
      .filter((one) => (one.name === pool.name) !== (one.path === pool.folder))
      .map((one) => ({
        subject: `libvirt's pool ${one.name} on ${name}`,
        why: `has the lab's name or folder there, ${pool.name} in ${pool.folder}, but not both`,
        instead,
      })),
    ...machineNodes(settings)
      .filter((node) => node.hypervisor === name)
      .map((node) => domainName(lab.name, node.name))
      .filter(
        (domain) =>
          libvirt.domains.some((one) => one.name === domain) &&
          !libvirt.pools.some((one) => one.name === pool.name),
      )
      .map((domain) => ({
        subject: `libvirt's machine ${domain} on ${name}`,
        why: "has the name of a node's, but the lab has nothing there yet",
        instead,
      })),
  ];
}

function bridge(
  subject: string,
  { name, bridge: bridgeName }: Remote,
  found: RemoteHostFacts["bridge"],
): HostProblem[] {
  if (found === "missing") {
    return [
      {
        subject,
        why: `"${bridgeName}" is no bridge of ${name}`,
        instead:
          "Make it there and connect it to this host's, as docs/fleet.md shows, or write the one that is.",
      },
    ];
  }
  return found === "unknown" ? [] : smallPackets(`The bridge ${bridgeName} of ${name}`, found.mtu);
}

/** This host's end of the segment: as soon as something is connected to it that takes smaller packets, so does it. */
function ownEnd(
  settings: Settings,
  { hypervisors, hyperVHosts, segmentMtu: mtu }: HostFacts,
): HostProblem[] {
  return hypervisors.length + hyperVHosts.length === 0
    ? []
    : smallPackets(`The bridge ${settings.network.bridge} of this host`, mtu);
}

function smallPackets(subject: string, mtu: number | undefined): HostProblem[] {
  return unless(mtu === undefined || mtu >= segmentMtu, {
    subject,
    why: `takes packets of ${mtu} bytes, the machines send ${segmentMtu}: large ones would be lost`,
    instead: `Give it, and what connects it, an MTU of ${segmentMtu}; a VXLAN wants 50 more below it (docs/fleet.md).`,
  });
}

/** What is still to be made there fits into the memory that can be had. */
function memory(
  settings: Settings,
  subject: string,
  { name }: Remote,
  { domains, availableMiB }: Reached,
): HostProblem[] {
  const { lab } = settings;
  const wanted = machineNodes(settings)
    .filter(({ hypervisor }) => hypervisor === name)
    .filter(
      (node) => !domains.some((one) => one.running && one.name === domainName(lab.name, node.name)),
    )
    .map((node) => ({ name: node.name, memoryMiB: node.memoryMiB + machineOverheadMiB }));
  const needed = wanted.reduce((sum, { memoryMiB }) => sum + memoryMiB, 0);
  return unless(availableMiB === undefined || needed <= availableMiB, {
    subject,
    why: `has ${availableMiB} MiB of memory available, ${needed} are needed (${wanted.map((one) => `${one.name} ${one.memoryMiB}`).join(", ")})`,
    instead: "Place nodes elsewhere (kindows:nodes[].hypervisor), or stop something there.",
  });
}
