import { createHash } from "node:crypto";
import { segmentOf } from "../../../config/address-plan.ts";
import { labNames } from "../../../config/names.ts";
import { thisHypervisor } from "../../../config/sections/machine-host.ts";
import type { MadeNodes } from "../../../config/sections/nodes.ts";
import type { RemoteHypervisor } from "../../machine/libvirt/remote-hypervisor.ts";
import type { FabricEnd } from "./fabric.ts";
import { type FabricName, fabrics } from "./fabrics.ts";

/** A hypervisor on another host. */
interface Hypervisor {
  readonly name: string;
  readonly uri: string;
  readonly bridge?: string | undefined;
  readonly cidr?: string | undefined;
  readonly fabricAddress?: string | undefined;
}

/** The settings that a fabric is made from. */
interface FabricSettings {
  readonly lab: { readonly name: string };
  readonly network: {
    readonly fabric: FabricName;
    readonly bridge: string;
    readonly cidr: string;
  };
  readonly hypervisor: { readonly fabricAddress?: string | undefined };
  readonly hypervisors: readonly Hypervisor[];
  readonly placement: readonly { readonly hypervisor: string }[];
}

/** The settings that a fabric is made and checked by. */
export interface FabricLab extends FabricSettings, MadeNodes {
  readonly hypervisors: readonly (Hypervisor & RemoteHypervisor)[];
}

/**
 * The ends of a lab's fabric: this host, and every host that has nodes. If all nodes are on this host, a routed fabric
 * has this host as its only end, and another fabric has none.
 *
 * @param labId the lab's random id. Not needed for checks of the hosts.
 */
export function fabricEnds(settings: FabricSettings, labId = ""): FabricEnd[] {
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
export function isRouted({
  network,
}: {
  readonly network: { readonly fabric: FabricName };
}): boolean {
  return fabrics[network.fabric].isRouted === true;
}

/** The address of a hypervisor in the fabric, if it is known without asking DNS. */
export function fabricAddress({
  uri,
  fabricAddress: written,
}: Pick<Hypervisor, "uri" | "fabricAddress">): string | undefined {
  const { hostname } = new URL(uri);
  return written ?? (/^[\d.]+$/.test(hostname) ? hostname : undefined);
}

/** A stable 24-bit number, for VXLAN's VNI. It is never 0, which some switches refuse. */
function networkNumber(lab: string): number {
  return createHash("sha256").update(lab).digest().readUIntBE(0, 3) || 1;
}
