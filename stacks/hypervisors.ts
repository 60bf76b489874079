import type * as libvirt from "@pulumi/libvirt";
import { hypervisorConnections } from "../components/machine/hypervisor-connections.ts";
import { thisHypervisor } from "../config/sections/hypervisors.ts";
import { labNames, remotePool } from "../config/names.ts";
import type { NodeSettings, Settings } from "../config/settings.ts";
import { addressReservation } from "../components/machine/address-reservation.ts";
import type { MachineSegment } from "../components/machine/libvirt-machine.ts";
import { macAddress } from "../components/machine/mac-address.ts";
import { MachineStorage, type MachineStorageArgs } from "../components/machine/machine-storage.ts";
import type { LabNetwork } from "../components/network/lab-network.ts";
import { hypervisorProvider } from "./hypervisor-provider.ts";
import type { MachineImage } from "./machine-image.ts";

/** A hypervisor as machines are made on it. */
export interface MachineHost {
  readonly libvirtProvider: libvirt.Provider;
  readonly domainType: "kvm" | "qemu";
  readonly storage: MachineStorage;
  /** Where that is. */
  readonly place: Pick<MachineStorageArgs, "uri" | "hypervisor" | "poolName" | "poolPath">;
  /** How the machine of a node gets on the lab's segment there. */
  segment(node: NodeSettings): MachineSegment;
}

/** What all hypervisors of a lab have in common. */
interface Lab {
  readonly settings: Settings;
  readonly image: MachineImage["disk"];
  readonly network: LabNetwork;
  /** The libvirt of this host. */
  readonly libvirtProvider: libvirt.Provider;
}

/**
 * The hypervisors machines are made on, by name: that of this host, and further ones that have nodes.
 *
 * @param placed nodes that are made.
 */
export function machineHosts(
  lab: Lab,
  placed: readonly NodeSettings[],
): ReadonlyMap<string, MachineHost> {
  const used = new Set(placed.map(({ hypervisor }) => hypervisor));
  const further = hypervisorConnections(lab.settings).filter(({ name }) => used.has(name));
  return new Map([
    [thisHypervisor, here(lab)],
    ...further.map((one) => [one.name, elsewhere(lab, one)] as const),
  ]);
}

function here({ settings, image, network, libvirtProvider }: Lab): MachineHost {
  const names = labNames(settings.lab.name);
  const { uri } = settings.hypervisor;
  const place = { uri, poolName: names.pool, poolPath: names.poolFolder };
  const segment = { kind: "network", networkId: network.networkId } as const;
  return {
    libvirtProvider,
    domainType: settings.hypervisor.domainType,
    place,
    storage: new MachineStorage("machines", { ...place, image, libvirtProvider }),
    segment: () => segment,
  };
}

/** Another host: a pool and a copy of the image of its own, and the segment by a bridge that is there. */
function elsewhere(
  { settings, image, network }: Lab,
  connection: ReturnType<typeof hypervisorConnections>[number],
): MachineHost {
  const { name, uri, virshUri, bridge, domainType } = connection;
  const names = labNames(settings.lab.name);
  const pool = remotePool(settings.lab.name, name);
  const place = {
    ...{ uri: virshUri, hypervisor: { name, uri, virshUri } },
    ...{ poolName: pool.name, poolPath: pool.folder },
  };
  const libvirtProvider = hypervisorProvider(`hypervisor-${name}`, connection.providerUri);
  return {
    libvirtProvider,
    domainType,
    place,
    storage: new MachineStorage(`machines-${name}`, { ...place, image, libvirtProvider }),
    segment: (node) => ({
      kind: "bridge",
      bridge,
      reserve: (parent) =>
        addressReservation(
          node.name,
          {
            uri: settings.hypervisor.uri,
            network: names.network,
            networkId: network.networkId,
            mac: macAddress(names.prefix, node.name),
            address: node.address,
            computerName: node.name,
          },
          parent,
        ),
    }),
  };
}
