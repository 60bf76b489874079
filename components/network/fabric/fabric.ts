import { createHash } from "node:crypto";
import { segmentOf } from "../../../config/address-plan.ts";
import { labNames } from "../../../config/names.ts";
import type { Check, Complaint } from "../../../config/problem.ts";
import { thisHypervisor } from "../../../config/sections/machine-host.ts";
import type { NamedSettings, Settings } from "../../../config/settings.ts";
import { fabrics } from "./registry.ts";

/** A way to connect the hosts of a lab, so that their machines reach each other. */
export interface Fabric {
  /** Description of this choice in docs/settings.md. */
  readonly choice: string;
  /** Checks across sections of the settings. They run for every fabric. */
  readonly checks: readonly Check<NamedSettings>[];
  /** Whether each hypervisor has its own segment, a libvirt network there, instead of a part of this host's segment. */
  readonly isRouted?: boolean;
  /** How the fabric is made on a host; undefined if the user makes it. */
  readonly onHost?: FabricOnHost;
}

/** Shell code that makes a fabric on one host. It is run there by root, and can be run again. */
export interface FabricOnHost {
  /** Shell functions that `up` and `down` use. */
  readonly functions?: (end: FabricEnd) => string;
  /** Makes what is missing, and changes what is different. */
  readonly up: (end: FabricEnd) => string;
  /** Removes what `up` has made, and nothing else. */
  readonly down: (end: FabricEnd) => string;
  /** Prints a line for each requirement that the host does not meet: its key in `remedies`, and what was found. */
  readonly probe: (end: FabricEnd) => string;
  readonly remedies: Readonly<Record<string, Complaint>>;
  /** systemd units that must be started before the fabric. */
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

/** The fabric as seen from one host. */
export interface FabricEnd {
  /** Prefix of the lab's names. */
  readonly lab: string;
  /** What belongs to the lab on its hosts carries this: its name, a dot, and its random id. */
  readonly mark: string;
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
 * The ends of a lab's fabric: this host, and every host that has nodes. If all nodes are on this host, a routed fabric
 * has this host as its only end, and another fabric has none.
 *
 * @param labId the lab's random id. Not needed for checks of the hosts.
 */
export function fabricEnds(
  settings: Pick<Settings, "lab" | "network" | "hypervisor" | "hypervisors" | "placement">,
  labId = "",
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
    mark: `${lab}.${labId}`,
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

/** A stable 24-bit number, for VXLAN's VNI. It is never 0, which some switches refuse. */
function networkNumber(lab: string): number {
  return createHash("sha256").update(lab).digest().readUIntBE(0, 3) || 1;
}
