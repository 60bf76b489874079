import * as pulumi from "@pulumi/pulumi";
import type { types } from "@pulumi/command";
import type { WindowsShell } from "../../host/ssh/windows-command.ts";
import type { SshKey } from "./ssh-key.ts";

/** Connection of `command.remote` to a machine, with a pinned host key; secret as a whole. */
export type SshConnection = types.input.remote.ConnectionArgs;

/**
 * A machine that can become a node. Node components know nothing else about where they run.
 *
 * The machine runs, or is starting, and answers SSH.
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
  /** The shell in which a Windows machine's SSH server runs commands. Default: cmd.exe, as in kindows' images. */
  readonly shell?: pulumi.Output<WindowsShell>;
  /** Changes when the machine is replaced, so that everything that was done on it is done again. */
  readonly instanceId: pulumi.Output<string>;
  /** For `dependsOn`. */
  readonly resource: pulumi.Resource;
  /** What has all that was done on the machine, if that outlives `resource`: the engine replaces both together otherwise. */
  readonly disk?: pulumi.Resource;
}

/** Option of resources that are on a machine: they are not deleted by themselves. */
export function deletedWith({
  disk,
  resource,
}: Pick<Machine, "disk" | "resource">): Required<Pick<pulumi.ResourceOptions, "deletedWith">> {
  return { deletedWith: disk ?? resource };
}

/** Arguments that all components of virtual machines have in common. */
export interface VirtualMachineArgs {
  /** Computer name: a DNS label of at most 15 characters. */
  readonly computerName: string;
  /** Virtual processors. */
  readonly cpus: number;
  /** Memory in MiB, fixed. */
  readonly memoryMiB: number;
  /** Size in GiB of its disk, an overlay of the image; at least the size of the image. */
  readonly diskGiB: number;
  /** IPv4 address that the segment's DHCP server reserves for `mac`. */
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
  readonly shell?: pulumi.Output<WindowsShell>;
  readonly instanceId!: pulumi.Output<string>;
  readonly resource!: pulumi.Resource;
  readonly disk?: pulumi.Resource;

  /** Sets all properties. To be called at the end of the constructor. */
  protected setMachine(machine: Machine): void {
    Object.assign(this, machine);
    this.registerOutputs({ connection: this.connection });
  }
}
