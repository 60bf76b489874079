import type { Client } from "ssh2";
import { messageOf } from "../../host/failure.ts";
import { onServer, retryPolicy, type RoutedEndpoint } from "../../ssh/dial.ts";
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
    ...machine.place,
    ...keys.machine,
    ...retryPolicy,
    via: hopsOf(machine).map((hop, index) => ({ ...hop, ...keysOfHops[index], ...retryPolicy })),
  };
  try {
    return await onServer(route, seconds, say, run);
  } catch (error) {
    throw new Error(explainAccess(messageOf(error), machine, whose));
  }
}

/** An error of ssh/dial.ts: which hop failed, and why. */
const dialError =
  /^Dial( proxy| from proxy| hop (\d+))? \S+: (?:after \d+ failed attempts: )?(.*?)(?: \(connection\.dialErrorLimit[^)]*\))?$/s;

/** An error of ssh/endpoint.ts: the private key is malformed or locked. Nothing was dialled. */
const badKey = /^connection\.privateKey for (\S+) cannot be read: (.*?) \(expected:/s;

/** Whether the SSH server is that of a machine or of a host that runs virtual machines. */
type Whose = "machine" | "host";

interface Server {
  readonly user: string;
  readonly port: number;
  readonly settings: string;
  readonly whose: Whose | "bastion";
}

interface Cause {
  readonly pattern: RegExp;
  readonly instead: (server: Server) => string;
}

const causes: readonly Cause[] = [
  {
    pattern: /shows the host key/,
    instead: ({ settings, whose }) =>
      `Compare that fingerprint at its console (ssh-keygen -lf on its ssh_host_ed25519_key.pub). If it is the ${whose}'s own after a reinstall, write that key as hostKey ${settings}; if not, another host answers at this address`,
  },
  {
    pattern: /authentication methods failed/i,
    instead: ({ user, settings, whose }) =>
      `Write the right user and ${whose === "host" ? `privateKeyFile ${settings}` : `key ${settings} or under kindows:login`}, or let this key in for ${user}: ${whose === "bastion" ? "in its authorized_keys" : "a line of C:\\ProgramData\\ssh\\administrators_authorized_keys (./kindows bootstrap ADDRESS --key KEY.pub prints what sets that up)"}`,
  },
  {
    pattern: /ECONNREFUSED/,
    instead: ({ port, settings }) =>
      `Nothing listens on port ${port} there: start its SSH server (Windows: Start-Service sshd), or write the right address and port ${settings}`,
  },
  {
    pattern: /EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|no answer within|no end within|nothing yet/,
    instead: ({ port, settings, whose }) =>
      `Is it on, and does every firewall between here and there let TCP port ${port} in? Else write the right address and port ${settings}${whose === "machine" ? ", or a bastion that reaches it" : ""}`,
  },
  {
    pattern: /ENOTFOUND|EAI_AGAIN/,
    instead: ({ settings }) =>
      `This host cannot resolve the name: write another, or an IPv4 address, ${settings}`,
  },
  {
    pattern: /open failed|forwarding/i,
    instead: ({ port, settings, whose }) =>
      `The bastion answers, but opens no connection from there: its sshd must allow it (AllowTcpForwarding), the ${whose === "bastion" ? "next one" : "machine"} must be on and let TCP port ${port} in; else write the right address and port ${settings}`,
  },
];

/** Rewrites an error of dialling a machine so that it names the settings and a remedy. Other errors are unchanged. */
export function explainAccess(
  message: string,
  machine: MachineRoute,
  whose: Whose = "machine",
): string {
  const { name, place } = machine;
  const section = whose === "host" ? "kindows:hyperVHosts" : "kindows:nodes";
  const [, keyOf, broken] = badKey.exec(message) ?? [];
  if (keyOf !== undefined && broken !== undefined) {
    return `the private key for ${keyOf} cannot be read: ${broken}. Write one, and its privateKeyPassphrase if it is encrypted, of ${name} under ${section}${whose === "host" ? "" : " or under kindows:login"}`;
  }
  const [, via, hopNumber, reason] = dialError.exec(message) ?? [];
  if (reason === undefined) return message;
  const hops = hopsOf(machine);
  const hop = via === " proxy" ? 1 : Number(hopNumber ?? 0);
  const { host, port, user } = hops[hop - 1] ?? place;
  const isBastion = hop > 0;
  const bastion = (number: number): string =>
    hops.length === 1 ? "its bastion" : `its bastion ${number} of ${hops.length}`;
  const settings = `${isBastion ? "among the bastions " : ""}of ${name} under ${section}`;
  // The bastion from which it was dialled; 0 for this host.
  const before = via === " from proxy" ? hops.length : hop - 1;
  const from = before > 0 ? `, from ${bastion(before)}` : "";
  const cause = causes.find(({ pattern }) => pattern.test(reason));
  const instead =
    cause?.instead({ user, port, settings, whose: isBastion ? "bastion" : whose }) ??
    `Does an SSH server answer at that port? Its address and port are ${settings}`;
  return `${isBastion ? `${bastion(hop)} ` : ""}${user}@${host}:${port}${from}: ${reason}. ${instead}`;
}
