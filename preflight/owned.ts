import { labNames } from "../config/names.ts";
import type { Settings } from "../config/settings.ts";
import type { HostFacts } from "./host-facts.ts";

/** What of this host is the lab's own already, from an earlier run: never in its way. */
export interface Owned {
  /** Names of the libvirt network and the Docker network. */
  readonly network: string;
  /** Bridges of those networks. */
  readonly bridges: ReadonlySet<string>;
}

/** Tells the lab's own networks by name, and their bridges by them. */
export function owned(settings: Settings, { docker, libvirt }: HostFacts): Owned {
  const { network, dockerNetwork } = labNames(settings.lab.name);
  const bridges = [
    ...(libvirt.reachable ? libvirt.networks.filter(({ name }) => name === network) : []),
    ...(docker.reachable ? docker.networks.filter(({ name }) => name === dockerNetwork) : []),
  ].map(({ bridge }) => bridge);
  return { network, bridges: new Set(bridges.filter((bridge) => bridge !== undefined)) };
}
