import type { HyperVHostParameter } from "./parameters.ts";

type Host = Omit<HyperVHostParameter, "owner">;

/** Which way failed, where it leads, and why: as the dialling tells it. */
const told =
  /^Dial \S+: (?:after \d+ failed attempts: )?(.*?)(?: \(connection\.dialErrorLimit[^)]*\))?$/s;

/** A private key that is none, or locked: known before anything is dialled. */
const badKey = /^connection\.privateKey for \S+ cannot be read: (.*?) \(expected:/s;

/** What a failure looks like, and what to do about it. */
const causes: readonly {
  readonly looks: RegExp;
  readonly instead: (host: Host) => string;
}[] = [
  {
    looks: /shows the host key/,
    instead: () =>
      "Compare that fingerprint at its console (ssh-keygen -lf on its ssh_host_ed25519_key.pub); where it is the host's own, write that key as hostKey, and where it is not, somebody else answers at this address",
  },
  {
    looks: /authentication methods failed/i,
    instead: ({ user, privateKeyFile }) =>
      `Write the right user and privateKeyFile, or let the key of ${privateKeyFile} in for ${user}: a line of C:\\ProgramData\\ssh\\administrators_authorized_keys`,
  },
  {
    looks: /ECONNREFUSED/,
    instead: ({ port }) =>
      `Nothing listens on port ${port} there: start its SSH server (Start-Service sshd), or write the right address and port`,
  },
  {
    looks: /EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|no answer within|no end within|nothing yet/,
    instead: ({ port }) =>
      `Is it on, and does every firewall between here and there let TCP port ${port} in? Else write the right address and port`,
  },
  {
    looks: /ENOTFOUND|EAI_AGAIN/,
    instead: () => "This host cannot resolve the name: write another, or an IPv4 address",
  },
];

/** What dialling a Hyper-V host came to, with what to do about it; anything else as it is. */
export function explainHyperVAccess(message: string, host: Host): string {
  const place = `(${host.name} under kindows:hyperVHosts)`;
  const [, broken] = badKey.exec(message) ?? [];
  if (broken !== undefined) {
    return `the key ${host.privateKeyFile} cannot be read: ${broken}. Write another privateKeyFile, without a passphrase ${place}`;
  }
  const [, reason] = told.exec(message) ?? [];
  if (reason === undefined) {
    return message;
  }
  const cause = causes.find(({ looks }) => looks.test(reason));
  const instead = cause?.instead(host) ?? "Does an SSH server answer at that port?";
  return `${reason}. ${instead} ${place}`;
}
