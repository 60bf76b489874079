import type * as pulumi from "@pulumi/pulumi";
import type { types } from "@pulumi/command";

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
  readonly connection: pulumi.Output<SshConnection>;
  /** Changes when the machine is a new one: what was done on the old one must be done again. */
  readonly instanceId: pulumi.Output<string>;
  /** For `dependsOn` and `deletedWith`: what lives on the machine goes with it. */
  readonly resource: pulumi.Resource;
}

/** A machine with the host key it shows. */
export type PinnedMachine = Machine & { readonly hostKey: pulumi.Output<string> };
