import { hopsOf, type MachineWay } from "./machine-parameter.ts";

/** Which way failed, where it leads, and why: as the dialling tells it. */
const told =
  /^Dial( proxy| from proxy| hop (\d+))? \S+: (?:after \d+ failed attempts: )?(.*?)(?: \(connection\.dialErrorLimit[^)]*\))?$/s;

/** A private key that is none, or locked: known before anything is dialled. */
const badKey = /^connection\.privateKey for (\S+) cannot be read: (.*?) \(expected:/s;

/** A machine's SSH server, or that of the host in between, as errors and remedies name it. */
interface Server {
  readonly where: string;
  readonly user: string;
  readonly port: number;
  /** Where its settings stand. */
  readonly settings: string;
  readonly isBastion: boolean;
  /** From where it was dialled, when that is not here. */
  readonly from: string;
}

/** What a failure looks like, and what to do about it. */
interface Cause {
  readonly looks: RegExp;
  readonly instead: (server: Server) => string;
}

const causes: readonly Cause[] = [
  {
    looks: /shows the host key/,
    instead: ({ settings, isBastion }) =>
      `Compare that fingerprint at its console (ssh-keygen -lf on its ssh_host_ed25519_key.pub). Where it is the ${isBastion ? "bastion" : "machine"}'s own after a reinstall, write that key as hostKey ${settings}; where it is not, somebody else answers at this address`,
  },
  {
    looks: /authentication methods failed/i,
    instead: ({ user, settings, isBastion }) =>
      `Write the right user and key ${settings} or under kindows:login, or let this key in for ${user}: ${isBastion ? "in its authorized_keys" : "a line of C:\\ProgramData\\ssh\\administrators_authorized_keys (./kindows bootstrap ADDRESS --key KEY.pub prints what sets that up)"}`,
  },
  {
    looks: /ECONNREFUSED/,
    instead: ({ port, settings }) =>
      `Nothing listens on port ${port} there: start its SSH server (Windows: Start-Service sshd), or write the right address and port ${settings}`,
  },
  {
    looks: /EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|no answer within|no end within|nothing yet/,
    instead: ({ port, settings, isBastion }) =>
      `Is it on, and does every firewall between here and there let TCP port ${port} in? Else write the right address and port ${settings}${isBastion ? "" : ", or a bastion that reaches it"}`,
  },
  {
    looks: /ENOTFOUND|EAI_AGAIN/,
    instead: ({ settings }) =>
      `This host cannot resolve the name: write another, or an IPv4 address, ${settings}`,
  },
  {
    looks: /open failed|forwarding/i,
    instead: ({ port, settings, isBastion }) =>
      `The bastion answers, but opens no connection from there: its sshd must allow it (AllowTcpForwarding), the ${isBastion ? "next one" : "machine"} must be on and let TCP port ${port} in; else write the right address and port ${settings}`,
  },
];

/**
 * What dialling a machine came to, with what to do about it.
 *
 * @param message of `dial`, or of what was done over the connection.
 */
export function explainAccess(message: string, machine: MachineWay): string {
  const [, keyOf, broken] = badKey.exec(message) ?? [];
  if (keyOf !== undefined && broken !== undefined) {
    return `the private key for ${keyOf} cannot be read: ${broken}. Write one, and its privateKeyPassphrase where it is encrypted, of ${machine.name} under kindows:nodes or under kindows:login`;
  }
  const [, way, hopNumber, reason] = told.exec(message) ?? [];
  if (reason === undefined) {
    return message;
  }
  const { name, place } = machine;
  const hops = hopsOf(machine);
  const hop = way === " proxy" ? 1 : Number(hopNumber ?? 0);
  const { host, port, user } = hops[hop - 1] ?? place;
  const isBastion = hop > 0;
  const bastion = (number: number): string =>
    hops.length === 1 ? "its bastion" : `its bastion ${number} of ${hops.length}`;
  const server: Server = {
    where: `${isBastion ? `${bastion(hop)} ` : ""}${user}@${host}:${port}`,
    ...{ user, port, isBastion },
    settings: `${isBastion ? "among the bastions " : ""}of ${name} under kindows:nodes`,
    from:
      way === " from proxy"
        ? `, from ${bastion(hops.length)}`
        : hop > 1
          ? `, from ${bastion(hop - 1)}`
          : "",
  };
  const cause = causes.find(({ looks }) => looks.test(reason));
  const instead =
    cause?.instead(server) ??
    `Does an SSH server answer at that port? Its address and port stand ${server.settings}`;
  return `${server.where}${server.from}: ${reason}. ${instead}`;
}
