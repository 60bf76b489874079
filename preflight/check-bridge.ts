import type { Settings } from "../config/settings.ts";
import type { HostFacts } from "./host-facts.ts";
import { type HostProblem, unless } from "../config/host-problem.ts";
import { owned } from "./owned.ts";

/** Nobody else has an interface, or a network with a bridge, of the lab's bridge's name. */
export function checkBridge(settings: Settings, facts: HostFacts): HostProblem[] {
  const { bridge } = settings.network;
  const owner = owned(settings, facts).bridges.has(bridge) ? undefined : ownerOf(bridge, facts);
  return unless(owner === undefined, {
    subject: `kindows:network.bridge: "${bridge}"`,
    why: `is taken by ${owner}`,
    instead:
      "Write another name, or remove that (`./kindows doctor` tells whether it is left over from a lab).",
  });
}

function ownerOf(bridge: string, { docker, libvirt, network }: HostFacts): string | undefined {
  const libvirtNetwork = libvirt.reachable
    ? libvirt.networks.find((one) => one.bridge === bridge)
    : undefined;
  const dockerNetwork = docker.reachable
    ? docker.networks.find((one) => one.bridge === bridge)
    : undefined;
  if (libvirtNetwork !== undefined) {
    return `libvirt's network ${libvirtNetwork.name}`;
  }
  if (dockerNetwork !== undefined) {
    return `Docker's network ${dockerNetwork.name}`;
  }
  return network.interfaces.includes(bridge) ? "a network interface of this host" : undefined;
}
