import { domainName, labNames } from "../../../config/names.ts";
import type { NodeSettings } from "../../../config/settings.ts";
import { addressReservation } from "../address-reservation.ts";
import { macAddress } from "../mac-address.ts";
import type { MachinesLab, MakeMachine } from "../machine-maker.ts";
import { HyperVHost, HyperVMachine } from "./hyper-v-machine.ts";
import { hyperVPlace } from "./parameters.ts";
import { startOf } from "./settings.ts";

/** The Hyper-V hosts that have nodes. */
export function machinesOn(
  lab: MachinesLab,
  placed: readonly NodeSettings[],
): ReadonlyMap<string, MakeMachine> {
  const { settings } = lab;
  const login = lab.login("windows");
  const { prefix } = labNames(settings.lab.name);
  const used = new Set(placed.map((node) => node.hypervisor));
  return new Map(
    settings.hyperVHosts
      .filter(({ name }) => used.has(name))
      .map((settingsOfHost) => {
        const host = new HyperVHost(`hyper-v-${settingsOfHost.name}`, {
          host: hyperVPlace(settingsOfHost, prefix),
          loginPublicKey: login.key.publicKey,
        });
        const make = (node: NodeSettings): HyperVMachine => {
          const { name, cpus, memoryMiB, diskGiB, address } = node;
          return new HyperVMachine(name, {
            ...{ computerName: name, machineName: domainName(settings.lab.name, name) },
            ...{ cpus, memoryMiB, diskGiB, address, mac: macAddress(prefix, name), host, login },
            ...startOf(settingsOfHost, settings.windows.image),
            reserve: (parent) => addressReservation(lab, node, parent),
          });
        };
        return [settingsOfHost.name, make];
      }),
  );
}
