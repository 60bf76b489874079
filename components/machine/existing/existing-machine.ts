import * as pulumi from "@pulumi/pulumi";
import { local, remote } from "@pulumi/command";
import type { Facts } from "../../facts.ts";
import { hostAction } from "../../host-action/host-action.ts";
import type { environment } from "../actions/claim-machine.ts";
import { fingerprint } from "../../../host/ssh/host-key.ts";
import { shellFrom, shellQuestion, type WindowsShell } from "../../../host/ssh/windows-command.ts";
import { MachineComponent, type SshConnection } from "../machine.ts";
import { type ByBastions, directly, type SshAccess, sshConnection } from "../ssh-access.ts";
import type { AccessKeys, MachineParameter, SshServer } from "./machine-parameter.ts";
import { rebootSeconds } from "./rename-machine.ts";

export interface ExistingMachineArgs {
  readonly computerName: string;
  /** Whether a machine that is called otherwise gets that name, with a reboot. Default: it is refused. */
  readonly mayRename?: boolean;
  readonly os: "windows" | "linux";
  /** IPv4 address, as other nodes reach it. */
  readonly address: string;
  /** Undefined in a preview that reads no keys. */
  readonly access: pulumi.Input<SshAccess> | undefined;
  /** The bastions through which it is reached. Default: none. */
  readonly bastions?: ByBastions | undefined;
  /** Pinned host key. If it changes, the machine counts as a new one. */
  readonly hostKey: pulumi.Input<string>;
  /** How the machine's former state is restored. */
  readonly reset: Omit<MachineParameter, "name" | "mayRename" | "server" | "bastion" | "through">;
}

/**
 * An existing machine. It is checked before anything is changed on it. Deleting its resource restores the machine's
 * former state, which also removes everything that other resources have installed on it.
 *
 * Not responsible for what runs on it.
 */
export class ExistingMachine extends MachineComponent {
  constructor(name: string, args: ExistingMachineArgs, opts?: pulumi.ComponentResourceOptions) {
    const { computerName, mayRename = false, address, access, bastions = directly, reset } = args;
    const facts: Facts<"kindows:machine:ExistingMachine"> = { node: computerName };
    super("kindows:machine:ExistingMachine", name, { facts }, opts);
    const login = pulumi.output(access ?? (pulumi.unknown as unknown as SshAccess));
    const hostKey = pulumi.output(args.hostKey);
    const instance = hostKey.apply(fingerprint);
    const bastion = bastions.hops.at(-1);
    const through = bastions.hops.length > 1 ? bastions.hops.slice(0, -1) : undefined;
    const parameter = (known?: SshAccess) =>
      ({
        name: computerName,
        ...(mayRename && { mayRename }),
        server: known && serverOf(known),
        bastion: bastion && serverOf(bastion),
        through: through?.map(serverOf),
        ...reset,
      }) as MachineParameter;
    const seconds = `${reset.seconds + 60}s`;
    const claim = `${180 + (mayRename ? rebootSeconds : 0)}s`;
    const resource = new local.Command(
      `${name}-machine`,
      hostAction<typeof environment>({
        create: "machine/claim-machine",
        delete: "machine/reset-machine",
        environment: {
          // The server is only undefined in a preview that reads no keys, in which no action is run.
          MACHINE: access === undefined ? parameter() : pulumi.unsecret(login.apply(parameter)),
          KEYS: pulumi.secret(
            login.apply((known): AccessKeys => ({
              machine: keysOf(known),
              bastion: bastion && keysOf(bastion),
              through: through?.map(keysOf),
            })),
          ),
        },
        // A reinstalled machine has another host key, so everything is done again.
        triggers: [instance],
        addPreviousOutputInEnv: true,
      }),
      {
        parent: this,
        deleteBeforeReplace: true,
        customTimeouts: { create: claim, update: claim, delete: seconds },
      },
    );
    const connection = sshConnection(login, bastions);
    const shell =
      args.os === "windows" ? shellOf(name, { resource, connection, instance }, this) : undefined;
    this.setMachine({
      name: computerName,
      os: args.os,
      address,
      resource,
      hostKey,
      instanceId: instance,
      connection,
      ...(shell && { shell }),
    });
  }
}

/**
 * Asks which shell the machine's SSH server starts. Not an output of the claim, which is updated with each change of the
 * scripts: a preview would then show every step as changed.
 */
function shellOf(
  name: string,
  machine: {
    readonly resource: pulumi.Resource;
    readonly connection: pulumi.Output<SshConnection>;
    readonly instance: pulumi.Output<string>;
  },
  parent: pulumi.Resource,
): pulumi.Output<WindowsShell> {
  const asked = new remote.Command(
    `${name}-shell`,
    {
      connection: machine.connection,
      create: shellQuestion,
      triggers: [machine.instance],
      addPreviousOutputInEnv: false,
    },
    {
      parent,
      deletedWith: machine.resource,
      deleteBeforeReplace: true,
      dependsOn: [machine.resource],
      customTimeouts: { create: "2m", update: "2m" },
    },
  );
  // The output is secret because the connection is.
  return pulumi.unsecret(asked.stdout).apply(shellFrom);
}

function serverOf({ host, port, user, hostKey }: SshAccess): SshServer {
  return { host, port, user, hostKey };
}

function keysOf({ privateKey, privateKeyPassword }: SshAccess): AccessKeys["machine"] {
  return { privateKey, privateKeyPassword };
}
