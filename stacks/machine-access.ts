import type { ByBastions, SshAccess } from "../components/machine/existing/existing-machine.ts";
import type { ExistingNode } from "../config/existing.ts";

/** How to log in to a machine: its own server, and hosts in between. */
export interface MachineAccess extends ByBastions {
  readonly machine: SshAccess;
}

/** Credentials for one server, according to the settings. */
export type Login = Pick<
  ExistingNode["login"],
  "user" | "port" | "privateKeyFile" | "privateKey" | "privateKeyPassphrase" | "agent"
>;

/** The way to a machine, according to its settings. */
export function machineAccess(
  { address, hostKey, login }: Pick<ExistingNode, "address" | "hostKey" | "login">,
  keysOf: KeysOf,
): MachineAccess {
  return { machine: { ...keysOf(login), host: address, hostKey }, ...byBastions(login, keysOf) };
}

type KeysOf = (login: Login) => Omit<SshAccess, "host" | "hostKey">;

/** The hosts in between of all machines with a login. */
export function byBastions(
  { bastions, forwardPort }: Pick<ExistingNode["login"], "bastions" | "forwardPort">,
  keysOf: KeysOf,
): ByBastions {
  const hops = bastions.map((bastion) => ({
    ...keysOf(bastion),
    host: bastion.address,
    hostKey: bastion.hostKey,
  }));
  const bastion = hops.at(-1);
  const [first, ...others] = hops.slice(0, -1);
  return {
    ...(bastion !== undefined && { bastion }),
    ...(first !== undefined &&
      forwardPort !== undefined && { forward: { port: forwardPort, through: [first, ...others] } }),
  };
}
