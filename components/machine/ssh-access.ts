import * as pulumi from "@pulumi/pulumi";
import type { PinnedEndpoint } from "../../ssh/endpoint.ts";
import { userData } from "./identity.ts";
import type { SshConnection, VirtualMachineArgs } from "./machine.ts";
import { SshKey } from "./ssh-key.ts";

/** One SSH server: the machine's own, or a bastion's. */
export type SshAccess = Pick<
  PinnedEndpoint,
  "host" | "port" | "user" | "privateKey" | "privateKeyPassword" | "hostKey"
>;

/** The hosts in between, by which a machine is reached. */
export interface ByBastions {
  /** In their order, each dialled from the one before; none: the machine is dialled from here. */
  readonly hops: readonly SshAccess[];
  /**
   * With several: port on 127.0.0.1 of this host by which the last is reached by what knows only one; somebody else sees to
   * it that it leads there while the program runs.
   */
  readonly forwardPort?: number | undefined;
}

export const directly: ByBastions = { hops: [] };

/**
 * How a machine is reached, as the command plugin takes it; secret.
 *
 * @param perDialTimeout in seconds, of one TCP connection: a machine that reboots does not answer. Default: for one far away.
 */
export function sshConnection(
  access: pulumi.Input<SshAccess>,
  { hops, forwardPort }: ByBastions,
  perDialTimeout = 10,
): pulumi.Output<SshConnection> {
  const bastion = hops.at(-1);
  return pulumi.secret(
    pulumi.output(access).apply((own) => ({
      ...own,
      perDialTimeout,
      // Dial until the step's own time limit: a machine that boots refuses, or does not answer at all.
      dialErrorLimit: -1,
      ...(bastion !== undefined && {
        proxy: {
          ...bastion,
          ...(forwardPort !== undefined && { host: "127.0.0.1", port: forwardPort }),
          perDialTimeout,
          dialErrorLimit: 10,
        },
      }),
    })),
  );
}

/** The keys of a machine that is made: its own, which it gets before its first boot, and the one that logs in. */
export class MachineKeys {
  /** Public SSH host key. */
  readonly hostKey: pulumi.Output<string>;
  /** Of the identity disk: who the machine is, and who may log in; secret. */
  readonly userData: pulumi.Output<string>;
  readonly #login: VirtualMachineArgs["login"];

  /** @param asRoot whether root logs in, on a Linux machine. */
  constructor(
    name: string,
    computerName: string,
    login: VirtualMachineArgs["login"],
    parent: pulumi.Resource,
    asRoot = false,
  ) {
    const own = new SshKey(`${name}-host-key`, { comment: computerName }, { parent });
    this.#login = login;
    this.hostKey = own.publicKey;
    this.userData = pulumi.secret(
      pulumi
        .all([own.privateKey, own.publicKey, login.key.publicKey])
        .apply(([hostPrivateKey, hostPublicKey, loginKey]) =>
          userData({
            computerName,
            hostPrivateKey,
            hostPublicKey,
            authorizedKeys: [loginKey],
            asRoot,
          }),
        ),
    );
  }

  /** Its SSH server, wherever that answers. */
  access(host: pulumi.Input<string>, port = 22): pulumi.Output<SshAccess> {
    const { user, key } = this.#login;
    return pulumi.output({
      host,
      port,
      user,
      privateKey: key.privateKey,
      hostKey: this.hostKey,
    });
  }

  /** How the machine is reached on this host's segment. */
  onSegment(address: string): pulumi.Output<SshConnection> {
    return sshConnection(this.access(address), directly, 3);
  }
}
