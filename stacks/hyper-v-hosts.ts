import { startOf } from "../config/sections/hyper-v-hosts.ts";
import { domainName, labNames } from "../config/names.ts";
import type { NodeSettings, Settings } from "../config/settings.ts";
import { addressReservation } from "../components/machine/address-reservation.ts";
import { HyperVHost } from "../components/machine/hyper-v/hyper-v-host.ts";
import { HyperVMachine } from "../components/machine/hyper-v/hyper-v-machine.ts";
import { hyperVPlace } from "../components/machine/hyper-v/place.ts";
import { macAddress } from "../components/machine/mac-address.ts";
import type { SshKey } from "../components/machine/ssh-key.ts";
import type { LabNetwork } from "../components/network/lab-network.ts";

/** Makes the machine of a node on a Hyper-V host. */
export type HyperVMaker = (node: NodeSettings) => HyperVMachine;

/** What all machines of a lab have in common. */
interface Lab {
  readonly settings: Settings;
  readonly network: LabNetwork;
  readonly login: { readonly user: string; readonly key: SshKey };
}

/**
 * The Hyper-V hosts that have nodes, by name, each as what makes a machine there. Addresses are those of this host's DHCP
 * server, as everywhere on the segment.
 *
 * @param placed nodes that are made.
 */
export function hyperVMakers(
  { settings, network, login }: Lab,
  placed: readonly NodeSettings[],
): ReadonlyMap<string, HyperVMaker> {
  const { lab, hyperVHosts, hypervisor, windows } = settings;
  const names = labNames(lab.name);
  const used = new Set(placed.map((node) => node.hypervisor));
  return new Map(
    hyperVHosts
      .filter(({ name }) => used.has(name))
      .map((settingsOfHost) => {
        const host = new HyperVHost(`hyper-v-${settingsOfHost.name}`, {
          host: hyperVPlace(settingsOfHost, names.prefix),
          loginPublicKey: login.key.publicKey,
        });
        const make = (node: NodeSettings): HyperVMachine => {
          const mac = macAddress(names.prefix, node.name);
          const reservation = {
            uri: hypervisor.uri,
            network: names.network,
            networkId: network.networkId,
            ...{ mac, address: node.address, computerName: node.name },
          };
          return new HyperVMachine(node.name, {
            computerName: node.name,
            machineName: domainName(lab.name, node.name),
            ...startOf(settingsOfHost, windows.image),
            ...{ cpus: node.cpus, memoryMiB: node.memoryMiB, diskGiB: node.diskGiB },
            ...{ address: node.address, mac, host, login },
            reserve: (parent) => addressReservation(node.name, reservation, parent),
          });
        };
        return [settingsOfHost.name, make];
      }),
  );
}
