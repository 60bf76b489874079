import * as pulumi from "@pulumi/pulumi";
import type { SshEndpoint } from "../../host/ssh/endpoint.ts";
import { userData } from "./identity.ts";
import type { SshConnection, VirtualMachineArgs } from "./machine.ts";
import { SshKey } from "./ssh-key.ts";

/** One SSH server: the machine's own, or a bastion's. */
export type SshAccess = Pick<
  SshEndpoint,
  "host" | "port" | "user" | "privateKey" | "privateKeyPassword" | "hostKey"
>;

/** The bastions through which a machine is reached. */
export interface ByBastions {
  /** In order, each dialled from the one before. If empty, the machine is dialled from this host. */
  readonly hops: readonly SshAccess[];
  /**
   * With several bastions: port on 127.0.0.1 that BastionForward forwards to the last one while the program runs. The
   * command plugin needs it, because it supports only one bastion.
   */
  readonly forwardPort?: number | undefined;
}

export const directly: ByBastions = { hops: [] };

/**
 * The connection to a machine for the command plugin; secret.
 *
 * @param perDialTimeout time limit in seconds for one TCP connection, as a rebooting machine does not answer. Default:
 * 10, for remote machines.
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
      // Dial until the step's own time limit, because a booting machine refuses connections or does not answer.
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

/** The keys of a new machine: its host key, which it gets before its first boot, and the key that logs in. */
export class MachineKeys {
  /** Public SSH host key. */
  readonly hostKey: pulumi.Output<string>;
  /** `user-data` of the identity disk; secret. */
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

  /** How to log in to the machine's SSH server at a given host and port. */
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

  /** The connection to the machine at its address on this host's segment. */
  onSegment(address: string): pulumi.Output<SshConnection> {
    return sshConnection(this.access(address), directly, 3);
  }
}
