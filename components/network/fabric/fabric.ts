import { createHash } from "node:crypto";
import { segmentOf } from "../../../config/address-plan.ts";
import { labNames } from "../../../config/names.ts";
import type { Check, Complaint } from "../../../config/problem.ts";
import { thisHypervisor } from "../../../config/sections/machine-host.ts";
import type { NamedSettings, Settings } from "../../../config/settings.ts";
import { fabrics } from "./registry.ts";

/** How the hosts of a lab are connected, so that the machines on them reach each other. */
export interface Fabric {
  /** Its description in docs/settings.md. */
  readonly choice: string;
  /** Rules across sections if it is chosen. */
  readonly checks: readonly Check<NamedSettings>[];
  /** Whether each hypervisor has a segment of its own, libvirt's there, instead of a part of the one here. */
  readonly isRouted?: boolean;
  /** What it is on each host; undefined if the user connects them. */
  readonly onHost?: FabricOnHost;
}

/** A fabric on one host. All of it is shell, run by root there, and fine to run again. */
export interface FabricOnHost {
  readonly functions?: string;
  /** Makes what is missing, and changes what is different. */
  readonly up: (end: FabricEnd) => string;
  /** Removes what `up` has made, and nothing else. */
  readonly down: (end: FabricEnd) => string;
  /** Prints a line for each requirement that the host does not meet: its name in `remedies`, and what was found. */
  readonly probe: (end: FabricEnd) => string;
  readonly remedies: Readonly<Record<string, Complaint>>;
  /** systemd's units that it needs. */
  readonly after: readonly string[];
}

export interface FabricHost {
  readonly name: string;
  /** IPv4 address at which the other hosts reach it. */
  readonly address: string;
  /** Linux bridge that its machines are plugged into. */
  readonly bridge: string;
  /** IPv4 range of its machines. */
  readonly cidr: string;
}

/** What one host has to know of the fabric. */
export interface FabricEnd {
  /** Prefix of the lab's names: marks what belongs to it. */
  readonly lab: string;
  /** Number of the virtual network, different for each lab. */
  readonly number: number;
  readonly host: FabricHost;
  /** Whether this is the host with the control plane, whose bridge is libvirt's. */
  readonly isLocal: boolean;
  readonly peers: readonly FabricHost[];
  /** The host with the control plane. */
  readonly local: FabricHost;
}

/**
 * The ends of a lab's fabric: this host and those that nodes are placed on. If all nodes are on this host, it is the only
 * one where it routes, or there is none.
 */
export function fabricEnds(
  settings: Pick<Settings, "lab" | "network" | "hypervisor" | "hypervisors" | "placement">,
): FabricEnd[] {
  const { network, hypervisor, hypervisors, placement } = settings;
  const used = hypervisors.filter(({ name }) =>
    placement.some((placed) => placed.hypervisor === name),
  );
  if (used.length === 0 && !isRouted(settings)) return [];
  const lab = labNames(settings.lab.name).prefix;
  const address = hypervisor.fabricAddress ?? "";
  const local = { name: thisHypervisor, address, bridge: network.bridge, cidr: network.cidr };
  const hosts = [
    local,
    ...used.map((one) => ({
      name: one.name,
      address: fabricAddress(one) ?? "",
      bridge: one.bridge ?? network.bridge,
      cidr: segmentOf(settings, one.name),
    })),
  ];
  return hosts.map((host) => ({
    lab,
    number: networkNumber(lab),
    host,
    isLocal: host === local,
    local,
    peers: hosts.filter((one) => one !== host),
  }));
}

/** Whether each hypervisor of the lab has a segment of its own. */
export function isRouted({ network }: Pick<Settings, "network">): boolean {
  return fabrics[network.fabric].isRouted === true;
}

/** The address of a hypervisor in the fabric, if it is known without asking DNS. */
export function fabricAddress({
  uri,
  fabricAddress: written,
}: Pick<Settings["hypervisors"][number], "uri" | "fabricAddress">): string | undefined {
  const { hostname } = new URL(uri);
  return written ?? (/^[\d.]+$/.test(hostname) ? hostname : undefined);
}

/** A stable number of 24 bits, as VXLAN has; never 0, which some switches refuse. */
function networkNumber(lab: string): number {
  return createHash("sha256").update(lab).digest().readUIntBE(0, 3) || 1;
}
