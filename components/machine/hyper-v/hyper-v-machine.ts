import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
import type { Facts } from "../../facts.ts";
import { hostAction } from "../../host-action/host-action.ts";
import type { environment } from "../actions/make-hyper-v-machine.ts";
import { metaData, userData } from "../identity.ts";
import { connectionOnSegment, MachineComponent } from "../machine.ts";
import { SshKey } from "../ssh-key.ts";
import type { HyperVHost } from "./hyper-v-host.ts";
import { type HyperVMachineParameter, type IdentityParameter, instanceId } from "./parameters.ts";

export interface HyperVMachineArgs {
  /** Computer name: a DNS label of at most 15 characters. */
  readonly computerName: string;
  /** Name of the virtual machine and of its folder, e.g. `kindows-fleet-win-1`. */
  readonly machineName: string;
  /** 1 (BIOS) or 2 (UEFI), as the image was installed. */
  readonly generation: 1 | 2;
  /** Whether a machine of generation 2 starts with Secure Boot. */
  readonly secureBoot: boolean;
  /** Virtual processors. */
  readonly cpus: number;
  /** Memory in MiB, all of it given at once. */
  readonly memoryMiB: number;
  /** Size of the differencing disk in GiB; at least the image's own. */
  readonly diskGiB: number;
  /** IPv4 address, reserved for `mac` by `reserve`. */
  readonly address: string;
  /** Stable MAC address, with colons. */
  readonly mac: string;
  /** Reserves the machine's address where the segment's DHCP server is, as a part of the machine's component. */
  readonly reserve: (parent: pulumi.Resource) => pulumi.Resource;
  readonly host: HyperVHost;
  /** Who may log in, and with what. */
  readonly login: {
    /** Account, e.g. `Administrator`. */
    readonly user: string;
    readonly key: SshKey;
  };
}

/**
 * A virtual machine on a Windows host with Hyper-V: a differencing disk on the image's VHDX, an identity disc, a MAC
 * address that stays. Any change of it replaces the machine.
 *
 * Not responsible for what runs in it: it is done as soon as the machine has its address, and who needs SSH dials until
 * it answers.
 */
export class HyperVMachine extends MachineComponent {
  constructor(name: string, args: HyperVMachineArgs, opts?: pulumi.ComponentResourceOptions) {
    const { computerName, address, host, login } = args;
    const facts: Facts<"kindows:machine:HyperVMachine"> = { node: computerName };
    super("kindows:machine:HyperVMachine", name, { facts }, opts);
    const hostKey = new SshKey(`${name}-host-key`, { comment: computerName }, { parent: this });
    const parameter = pulumi
      .all([host.parameter, hostKey.publicKey])
      .apply(([place, hostPublicKey]) => machineParameter(args, place, hostPublicKey));
    const identity = pulumi
      .all([hostKey.privateKey, hostKey.publicKey, login.key.publicKey])
      .apply(([hostPrivateKey, hostPublicKey, loginKey]): IdentityParameter => ({
        userData: userData({
          ...{ computerName, hostPrivateKey, hostPublicKey },
          authorizedKeys: [loginKey],
        }),
        metaData: metaData(args.machineName, computerName),
      }));
    const machine = new local.Command(
      name,
      hostAction<typeof environment>({
        create: "machine/make-hyper-v-machine",
        delete: "machine/make-hyper-v-machine --remove",
        environment: {
          HYPER_V_HOST: host.parameter,
          MACHINE: parameter,
          IDENTITY: pulumi.secret(identity),
        },
        triggers: [parameter.making],
      }),
      {
        parent: this,
        // Two of one name, address and MAC cannot be.
        deleteBeforeReplace: true,
        dependsOn: [host.resource, args.reserve(this)],
        customTimeouts: { create: "31m", update: "31m", delete: "11m" },
      },
    );
    this.is({
      ...{ name: computerName, os: "windows", address, hostKey: hostKey.publicKey },
      // Standard output counts as secret because the identity is; an id is none.
      instanceId: pulumi
        .unsecret(machine.stdout)
        .apply((text) => (JSON.parse(text) as { readonly id: string }).id),
      resource: machine,
      connection: connectionOnSegment(address, login.user, login.key, hostKey),
    });
  }
}

function machineParameter(
  args: HyperVMachineArgs,
  host: Parameters<typeof instanceId>[0]["host"],
  hostPublicKey: string,
): HyperVMachineParameter {
  const machine = {
    name: args.machineName,
    generation: args.generation,
    secureBoot: args.secureBoot,
    macAddress: args.mac.replaceAll(":", "").toUpperCase(),
    cpus: args.cpus,
    memoryMiB: args.memoryMiB,
    diskGiB: args.diskGiB,
  };
  return {
    ...machine,
    address: args.address,
    making: instanceId({ host, machine, hostPublicKey }),
  };
}
