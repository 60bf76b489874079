import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
import { labNames } from "../../config/names.ts";
import type { NodeSettings, Settings } from "../../config/settings.ts";
import { hostAction } from "../host-action/host-action.ts";
import type { LabNetwork } from "../network/lab-network.ts";
import type { environment } from "./actions/reserve-address.ts";
import { macAddress } from "./mac-address.ts";

interface ReservingLab {
  readonly settings: {
    readonly lab: Pick<Settings["lab"], "name">;
    readonly hypervisor: Pick<Settings["hypervisor"], "uri">;
  };
  /** A new one has no reservations. */
  readonly network: Pick<LabNetwork, "networkId">;
}

/**
 * Reserves the address of a node's machine in the lab's libvirt network for one that another host runs, on a bridge of the
 * same segment. For a machine on the network itself libvirt's provider does so.
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
      // Where an earlier version made it.
      aliases: [{ parent: pulumi.rootStackResource }],
      // Two reservations of one address are refused.
      deleteBeforeReplace: true,
    },
  );
}
