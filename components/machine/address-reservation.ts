import type * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
import { labNames } from "../../config/names.ts";
import { hostAction } from "../host-action/host-action.ts";
import type { LabNetwork } from "../network/lab-network.ts";
import type { environment } from "./actions/reserve-address.ts";
import { macAddress } from "./mac-address.ts";
import type { NodeSettings } from "../../config/sections/nodes.ts";

interface ReservingLab {
  readonly settings: {
    readonly lab: { readonly name: string };
    readonly hypervisor: { readonly uri: string };
  };
  /** A new network has no reservations, so the reservation is made again. */
  readonly network: Pick<LabNetwork, "networkId">;
}

/**
 * Reserves the address of a node's machine in the lab's libvirt network. This is for machines of other hosts, on a
 * bridge of the same segment; for machines on the libvirt network itself, the libvirt provider makes the reservation.
 */
export function addressReservation(
  { settings, network }: ReservingLab,
  { name, address }: Pick<NodeSettings, "name" | "address">,
  parent: pulumi.Resource,
): pulumi.Resource {
  const names = labNames(settings.lab.name);
  return new local.Command(
    `${name}-reservation`,
    hostAction<typeof environment>({
      create: "machine/reserve-address",
      delete: "machine/reserve-address --release",
      environment: {
        RESERVATION: {
          uri: settings.hypervisor.uri,
          network: names.network,
          mac: macAddress(names.prefix, name),
          address,
          computerName: name,
        },
      },
      triggers: [network.networkId],
    }),
    {
      parent,
      // libvirt refuses a second reservation of the same address.
      deleteBeforeReplace: true,
    },
  );
}
