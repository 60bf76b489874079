import type { Client } from "ssh2";
import {
  type DialCause,
  DialFailed,
  onServer,
  retryPolicy,
  type RoutedEndpoint,
} from "../../host/ssh/dial.ts";
import { PrivateKeyUnreadable } from "../../host/ssh/endpoint.ts";
import { say } from "../host-action/run-action.ts";
import { type AccessKeys, hopsOf, type MachineRoute } from "./existing/machine-parameter.ts";

/**
 * Connects to a machine by the same route as the command plugin, and runs something on it. Several bastions are dialled
 * directly, not through the forwarded port that the plugin needs, so that this works even if no program runs.
 *
 * @throws if the machine cannot be reached or the time limit ends. The error says what was last seen and what to do.
 */
export async function onMachine<T>(
  machine: MachineRoute,
  keys: AccessKeys,
  seconds: number,
  run: (client: Client, signal: AbortSignal) => Promise<T>,
  whose?: Whose,
): Promise<T> {
  const keysOfHops = [...(keys.through ?? []), keys.bastion];
  const route: RoutedEndpoint = {
    ...machine.server,
    ...keys.machine,
    ...retryPolicy,
    via: hopsOf(machine).map((hop, index) => ({ ...hop, ...keysOfHops[index], ...retryPolicy })),
  };
  try {
    return await onServer(route, seconds, say, run);
  } catch (error) {
    throw explainAccess(error, machine, whose);
  }
}

/** Whether the SSH server is that of a machine or of a host that runs virtual machines. */
type Whose = "machine" | "host";

interface Server {
  readonly user: string;
  readonly port: number;
  readonly settings: string;
  readonly whose: Whose | "bastion";
}

const remedies: Readonly<Record<DialCause, (server: Server) => string>> = {
  "host-key": ({ settings, whose }) =>
    `Compare that fingerprint at its console (ssh-keygen -lf on its ssh_host_ed25519_key.pub). If it is the ${whose}'s own after a reinstall, write that key as hostKey ${settings}; if not, another host answers at this address`,
  login: ({ user, settings, whose }) =>
    `Write the right user and ${whose === "host" ? `privateKeyFile ${settings}` : `key ${settings} or under kindows:login`}, or let this key in for ${user}: ${whose === "bastion" ? "in its authorized_keys" : "a line of C:\\ProgramData\\ssh\\administrators_authorized_keys (./kindows bootstrap ADDRESS --key KEY.pub prints what sets that up)"}`,
  refused: ({ port, settings }) =>
    `Nothing listens on port ${port} there: start its SSH server (Windows: Start-Service sshd), or write the right address and port ${settings}`,
  silent: ({ port, settings, whose }) =>
    `Is it on, and does every firewall between here and there let TCP port ${port} in? Else write the right address and port ${settings}${whose === "machine" ? ", or a bastion that reaches it" : ""}`,
  name: ({ settings }) =>
    `This host cannot resolve the name: write another, or an IPv4 address, ${settings}`,
  forwarding: ({ port, settings, whose }) =>
    `The bastion answers, but opens no connection from there: its sshd must allow it (AllowTcpForwarding), the ${whose === "bastion" ? "next one" : "machine"} must be on and let TCP port ${port} in; else write the right address and port ${settings}`,
};

/** An error of dialling a machine, with the settings and a remedy. Other errors are returned as they are. */
export function explainAccess(
  error: unknown,
  machine: MachineRoute,
  whose: Whose = "machine",
): unknown {
  const { name, server } = machine;
  const section = whose === "host" ? "kindows:hyperVHosts" : "kindows:nodes";
  if (error instanceof PrivateKeyUnreadable) {
    return new Error(
      `the private key for ${error.host} cannot be read: ${error.reason}. Write one, and its privateKeyPassphrase if it is encrypted, of ${name} under ${section}${whose === "host" ? "" : " or under kindows:login"}`,
    );
  }
  if (!(error instanceof DialFailed)) return error;
  const { index, reason, kind } = error;
  const hops = hopsOf(machine);
  const { host, port, user } = hops[index] ?? server;
  const isBastion = index < hops.length;
  const bastion = (number: number): string =>
    hops.length === 1 ? "its bastion" : `its bastion ${number} of ${hops.length}`;
  const settings = `${isBastion ? "among the bastions " : ""}of ${name} under ${section}`;
  const from = index > 0 ? `, from ${bastion(index)}` : "";
  const instead =
    kind === undefined
      ? `Does an SSH server answer at that port? Its address and port are ${settings}`
      : remedies[kind]({ user, port, settings, whose: isBastion ? "bastion" : whose });
  return new Error(
    `${isBastion ? `${bastion(index + 1)} ` : ""}${user}@${host}:${port}${from}: ${reason}. ${instead}`,
  );
}
