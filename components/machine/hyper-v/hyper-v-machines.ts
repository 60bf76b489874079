import { startOf } from "./settings.ts";
import { domainName, labNames } from "../../../config/names.ts";
import type { NodeSettings } from "../../../config/settings.ts";
import { addressReservation } from "../address-reservation.ts";
import { HyperVHost } from "./hyper-v-host.ts";
import { HyperVMachine } from "./hyper-v-machine.ts";
import { hyperVPlace } from "./parameters.ts";
import type { MachinesLab, MakeMachine } from "../machine-maker.ts";
import { macAddress } from "../mac-address.ts";

/** The Hyper-V hosts that have nodes. */
export function machinesOn(
  { settings, network, login: loginOf }: MachinesLab,
  placed: readonly NodeSettings[],
): ReadonlyMap<string, MakeMachine> {
  const login = loginOf("windows");
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
