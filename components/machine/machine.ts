import * as pulumi from "@pulumi/pulumi";
import type { types } from "@pulumi/command";
import type { SshKey } from "./ssh-key.ts";

/** How `command.remote` reaches a machine; secret as a whole, with the machine's host key pinned. */
export type SshConnection = types.input.remote.ConnectionArgs;

/**
 * A machine that can become a node: the only thing a node component knows of where it runs.
 *
 * It is up (or coming up) and answers SSH; who made it, and how, is nobody's business but its maker's.
 */
export interface Machine {
  /** Computer name and later node name: a DNS label of at most 15 characters (NetBIOS). */
  readonly name: string;
  readonly os: "windows" | "linux";
  /** IPv4 address on the lab segment, as other nodes reach it. */
  readonly address: pulumi.Input<string>;
  /** Public SSH host key, pinned in `connection`. */
  readonly hostKey: pulumi.Output<string>;
  readonly connection: pulumi.Output<SshConnection>;
  /** Changes when the machine is a new one: what was done on the old one must be done again. */
  readonly instanceId: pulumi.Output<string>;
  /** For `dependsOn` and `deletedWith`: what lives on the machine goes with it. */
  readonly resource: pulumi.Resource;
}

/** What every maker of virtual machines is told of one. */
export interface VirtualMachineArgs {
  /** Computer name: a DNS label of at most 15 characters. */
  readonly computerName: string;
  /** Virtual processors. */
  readonly cpus: number;
  /** Memory in MiB, all of it given at once. */
  readonly memoryMiB: number;
  /** Size of its disk in GiB, which stands on the image's; at least the image's own. */
  readonly diskGiB: number;
  /** IPv4 address, reserved for `mac` by the segment's DHCP server. */
  readonly address: string;
  /** Stable MAC address, with colons. */
  readonly mac: string;
  /** Who may log in, and with what. */
  readonly login: {
    /** Account, e.g. `Administrator`. */
    readonly user: string;
    readonly key: SshKey;
  };
}

/** A component that is a machine. */
export abstract class MachineComponent extends pulumi.ComponentResource implements Machine {
  readonly name!: string;
  readonly os!: Machine["os"];
  readonly address!: pulumi.Input<string>;
  readonly hostKey!: pulumi.Output<string>;
  readonly connection!: pulumi.Output<SshConnection>;
  readonly instanceId!: pulumi.Output<string>;
  readonly resource!: pulumi.Resource;

  /** Says what the machine is, at the end of the constructor. */
  protected is(machine: Machine): void {
    Object.assign(this, machine);
    this.registerOutputs({ connection: this.connection });
  }
}
