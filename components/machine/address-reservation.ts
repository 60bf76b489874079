import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
import { hostAction } from "../host-action/host-action.ts";
import type { environment } from "./actions/reserve-address.ts";

export interface AddressReservationArgs {
  /** libvirt connection of the network, e.g. `qemu:///system`. */
  readonly uri: string;
  /** Name of the libvirt network whose DHCP server the machine asks, e.g. `kindows-fleet`. */
  readonly network: string;
  /** Id of that network: a new one has no reservations. */
  readonly networkId: pulumi.Input<string>;
  readonly mac: string;
  /** IPv4 address the machine is to have. */
  readonly address: string;
  readonly computerName: string;
}

/**
 * Reserves an address of a libvirt network for a machine that another libvirt runs, on a bridge of the same segment. For
 * a machine on the network itself libvirt's provider does so.
 */
export function addressReservation(
  name: string,
  { networkId, ...reservation }: AddressReservationArgs,
  /** The machine's component. */
  parent: pulumi.Resource,
): pulumi.Resource {
  return new local.Command(
    `${name}-reservation`,
    hostAction<typeof environment>({
      create: "machine/reserve-address",
      delete: "machine/reserve-address --release",
      environment: { RESERVATION: reservation },
      triggers: [networkId],
    }),
    {
      parent,
      // Where an earlier version made it.
      aliases: [{ parent: pulumi.rootStackResource }],
      // Two reservations of one address are refused.
      deleteBeforeReplace: true,
    },
  );
}
