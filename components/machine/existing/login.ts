import { createHash } from "node:crypto";
import * as z from "zod";
import { localFile } from "../../../config/named-file.ts";
import { type Check, pathText, type SettingsProblem, unless } from "../../../config/problem.ts";
import { hostName } from "../../../config/values/dns-name.ts";
import { hostKey } from "../../../config/values/host-key.ts";
import { privateKey } from "../../../config/values/private-key.ts";
import { between, ofForm, text } from "../../../config/values/value.ts";

const port = between(1, 65535);

/** Settings with which to log in. At most one of the key file, the key and the agent may be set. */
const credential = {
  privateKeyFile: text(localFile)
    .optional()
    .meta({
      description: "Absolute path of the private key on this host.",
      default: "none",
      placeholder: () => "/unnamed",
    }),
  privateKey: z.string().optional().meta({
    description:
      "The private key itself, as a secret: `pulumi config set --secret --path 'kindows:login.privateKey' < KEY`.",
  }),
  privateKeyPassphrase: z.string().optional().meta({
    description: "Passphrase of the key, as a secret, if it is encrypted.",
  }),
  agent: z.boolean().optional().meta({
    description: "Whether to log in with the agent behind `SSH_AUTH_SOCK` instead of a key.",
    default: "`false`",
  }),
};

/**
 * Name of an account on a Windows machine: a local one, in any language, or one of a domain as DOMAIN\\NAME or
 * NAME@DOMAIN. Windows forbids the other characters.
 */
const windowsUser = ofForm(
  /^(?![-.\s])(?:[^\s"/\\[\]:;|=,+*?<>@]{1,255}\\)?[^"/\\[\]:;|=,+*?<>\p{Cc}@]{1,64}(?<!\s)(?:@[\p{L}\p{N}._-]{1,255})?$/u,
  "is not the name of a Windows account",
  "Write NAME, DOMAIN\\NAME or NAME@DOMAIN, e.g. Administrator; Windows in some languages calls it otherwise.",
);

/** Name of an account on a bastion, without host or port. */
const loginName = ofForm(
  /^[A-Za-z0-9_][A-Za-z0-9_.\\-]{0,63}$/,
  "is not the name of an account",
  "Write only the name, e.g. jump; host and port are settings of their own.",
);

const bastion = z.strictObject({
  address: text(hostName).meta({ description: "IPv4 address or DNS name of the bastion." }),
  port: port.default(22).meta({ description: "Its SSH port." }),
  user: text(loginName).meta({ description: "Account there." }),
  hostKey: text(hostKey).meta({ description: "Its SSH host key, `ssh-ed25519 AAAA...`." }),
  privateKeyFile: credential.privateKeyFile.meta({ default: "the machine's" }),
  privateKey: credential.privateKey.meta({ default: "the machine's" }),
  privateKeyPassphrase: credential.privateKeyPassphrase.meta({ default: "the machine's" }),
  agent: credential.agent,
});

const bastions = z.array(bastion).meta({
  description:
    "Bastions through which the machine is reached, in order, each dialled from the one before. With none, it is dialled directly.",
});

const forwardPort = between(1024, 65535).optional().meta({
  description:
    "With several bastions: port on 127.0.0.1 of this host that leads to the last of them while the program runs (docs/existing.md).",
  default: "a port derived from the bastions",
});

type Bastion = z.output<typeof bastion>;

/** The login that all machines have in common. */
export const login = z.strictObject({
  user: text(windowsUser).default("Administrator").meta({
    description:
      "Account on the machines, which must be an administrator: `NAME`, `DOMAIN\\NAME` or `NAME@DOMAIN`. The built-in one has another name in some languages, e.g. `Administrateur`.",
  }),
  port: port.default(22).meta({ description: "SSH port of the machines." }),
  ...credential,
  bastions: bastions.default([]),
  forwardPort,
});

/** Settings of one machine that override `login`. */
export const ownLogin = {
  user: text(windowsUser).optional().meta({
    description: "Account on this machine.",
    default: "`login.user`",
  }),
  port: port.optional().meta({ description: "SSH port.", default: "`login.port`" }),
  privateKeyFile: credential.privateKeyFile.meta({ default: "`login.privateKeyFile`" }),
  privateKey: credential.privateKey.meta({ default: "`login.privateKey`" }),
  privateKeyPassphrase: credential.privateKeyPassphrase.meta({
    default: "`login.privateKeyPassphrase`",
  }),
  agent: credential.agent.meta({ default: "`login.agent`" }),
  bastions: bastions.optional().meta({ default: "`login.bastions`" }),
  forwardPort: forwardPort.meta({
    default: "`login.forwardPort`; if the machine has its own bastions, a port derived from them",
  }),
};

export type Login = z.output<typeof login>;
type Credential = Pick<Login, "privateKeyFile" | "privateKey" | "privateKeyPassphrase" | "agent">;

const methods = ["privateKeyFile", "privateKey", "agent"] as const;

/** The methods to log in that are set. */
function methodsOf(credential: Partial<Credential>): (typeof methods)[number][] {
  return methods.filter(
    (method) => credential[method] !== undefined && credential[method] !== false,
  );
}

/**
 * Fills in the settings that a machine inherits from the common login. A bastion without credentials of its own is
 * logged in to with those of the machine. Credentials are inherited as a whole, or not at all.
 *
 * @param own the machine's own settings; empty for the common login.
 * @param file name of the settings file, from which the default port is derived, so that it differs between stacks.
 */
export function wholeLogin(all: Login, own: Partial<Login>, file: string): Login {
  const credential = ownOr(own, all);
  const bastions = (own.bastions ?? all.bastions).map(
    ({ address, port, user, hostKey, ...ownCredential }) => ({
      address,
      port,
      user,
      hostKey,
      ...ownOr(ownCredential, credential),
    }),
  );
  // The common port leads to the common bastions only.
  const written = own.forwardPort ?? (own.bastions === undefined ? all.forwardPort : undefined);
  return {
    user: own.user ?? all.user,
    port: own.port ?? all.port,
    ...credential,
    bastions,
    forwardPort: bastions.length < 2 ? undefined : (written ?? usualForwardPort(bastions, file)),
  };
}

/** Returns the own credentials if there are any, else the other ones. */
function ownOr(own: Partial<Credential>, other: Credential): Credential {
  const { privateKeyFile, privateKey, privateKeyPassphrase, agent } =
    methodsOf(own).length > 0 ? own : other;
  return { privateKeyFile, privateKey, privateKeyPassphrase, agent };
}

type Path = SettingsProblem["path"];

/** The logins of a stack as written. */
export interface Logins {
  readonly login: Login;
  /** Machines that are there. */
  readonly machines: readonly {
    /** Where its login is written. */
    readonly path: Path;
    readonly name: string;
    readonly address: string;
    readonly hostKey: string;
    readonly own: Partial<Login>;
  }[];
  /** Names of machines that kindows makes, and reaches through the common bastions. */
  readonly made: readonly string[];
}

/** The login settings as written: the common ones, and those of each machine. */
function writtenLogins({
  login,
  machines,
}: Logins): readonly { readonly path: Path; readonly own: Partial<Login> }[] {
  return [{ path: ["login"], own: login }, ...machines];
}

/** Range of default ports, below Linux' ephemeral ports and above those of well-known services. */
const [firstPort, ports] = [20_000, 10_000];

/**
 * Default port of this host that leads to the last of several bastions. It is derived from the settings alone, because
 * it is part of the resources' inputs.
 */
function usualForwardPort(bastions: readonly Bastion[], file: string): number {
  // The keys themselves are not included, because they are secrets and a new key does not change the route.
  const route = bastions.map(({ address, port, user, privateKeyFile, agent }) => [
    ...[address, port, user, privateKeyFile ?? "", agent === true],
  ]);
  const hash = createHash("sha256")
    .update(JSON.stringify([file, route]))
    .digest();
  return firstPort + (hash.readUInt32BE(0) % ports);
}

function bastionApart({ login, machines }: Logins): SettingsProblem[] {
  return machines.flatMap(({ path, name, address, hostKey, own }) => {
    const bastions = own.bastions ?? login.bastions;
    const isOther = (one: Bastion): boolean => one.address !== address && one.hostKey !== hostKey;
    return unless(bastions.every(isOther), {
      path,
      value: name,
      why: "is its own bastion: both have the same address or host key",
      instead: "Write bastions: [] there if it is reached directly, or write the right bastion.",
    });
  });
}

function eachBastionOnce(settings: Logins): SettingsProblem[] {
  return writtenLogins(settings).flatMap(({ path, own: { bastions = [] } }) =>
    bastions.flatMap((one, hop) => {
      const before = bastions.slice(0, hop).findIndex((other) => isSame(one, other));
      return unless(before < 0, {
        path: [...path, "bastions", hop],
        value: one.address,
        why: `repeats bastions[${before}]: both have the same address and port, or the same host key`,
        instead: "Leave it out, or write the right host and its own host key.",
      });
    }),
  );
}

function isSame(one: Bastion, other: Bastion): boolean {
  return (
    (one.address === other.address && one.port === other.port) || one.hostKey === other.hostKey
  );
}

function forwardPortUsed(settings: Logins): SettingsProblem[] {
  return writtenLogins(settings).flatMap(({ path, own }) => {
    const { forwardPort, bastions = settings.login.bastions } = own;
    return unless(forwardPort === undefined || bastions.length > 1, {
      path: [...path, "forwardPort"],
      why: `is only for several bastions in a row, but there ${bastions.length === 1 ? "is 1" : "are none"}`,
      instead: "Leave it out.",
    });
  });
}

function forwardPortsApart({ login, machines, made }: Logins, file: string): SettingsProblem[] {
  const first = new Map<number, { readonly name: string; readonly route: string }>();
  // Machines that kindows makes are all reached through the common bastions.
  const all = [...made.map((name) => ({ name, own: {}, path: ["login"] as Path })), ...machines];
  return all.flatMap(({ name, own, path }) => {
    const { bastions, forwardPort: port } = wholeLogin(login, own, file);
    if (port === undefined) return [];
    const route = routeOf(bastions);
    const other = first.get(port) ?? { name, route };
    first.set(port, other);
    return unless(other.route === route, {
      path: [...path, "forwardPort"],
      value: port,
      why: `leads to the bastions of ${other.name}, which differ from those of ${name} in their addresses or credentials`,
      instead: "Write another port there, from 1024 to 65535.",
    });
  });
}

/**
 * Identifies where a forwarded port leads: the bastions before the last with their credentials, and the last's address.
 */
function routeOf(bastions: readonly Bastion[]): string {
  const last = bastions.at(-1);
  return JSON.stringify([bastions.slice(0, -1), last?.address, last?.port]);
}

/** Checks that each login has at most one method, and that keys are valid. Does not show values, which are secrets. */
function oneMethodEach(settings: Logins): SettingsProblem[] {
  return writtenLogins(settings).flatMap(({ path, own }) => [
    ...credentialProblems(path, own),
    ...(own.bastions ?? []).flatMap((one, hop) =>
      credentialProblems([...path, "bastions", hop], one),
    ),
  ]);
}

function credentialProblems(path: Path, credential: Partial<Credential>): SettingsProblem[] {
  const { privateKey: key, privateKeyPassphrase: passphrase } = credential;
  const written = methodsOf(credential);
  if (written.length > 1) {
    const why = `has several ways to log in: ${written.join(", ")}`;
    return [{ path, why, instead: "Keep one of them." }];
  }
  if (passphrase !== undefined && (written[0] ?? "agent") === "agent") {
    const why = "is a passphrase without a key";
    const instead = "Write privateKeyFile or privateKey beside it, or leave it out.";
    return [{ path: [...path, "privateKeyPassphrase"], why, instead }];
  }
  const wrong = key === undefined ? undefined : privateKey(key, passphrase !== undefined);
  return wrong === undefined ? [] : [{ path: [...path, "privateKey"], ...wrong }];
}

/**
 * Checks that each machine has a way to log in. Machines that kindows makes get a new key, but the bastions before them
 * need one.
 */
function someMethodEach({ login, machines, made }: Logins): SettingsProblem[] {
  const bastions = made.length === 0 ? [] : login.bastions;
  const logins: readonly { path: Path; name: string; own: Partial<Credential> }[] = [
    ...bastions.map((own, hop) => ({
      path: ["login", "bastions", hop],
      name: own.address,
      own,
    })),
    ...machines,
  ];
  return logins.flatMap(({ path, name: value, own }) =>
    unless(methodsOf(ownOr(own, login)).length > 0, {
      path,
      value,
      why: "cannot be logged in to, as there is neither a key nor an agent",
      instead: `Write one of ${methods.join(", ")}, there or under ${pathText(["login"])}.`,
    }),
  );
}

type LoginsOf<Settings> = (settings: Settings) => Logins;

/** Checks of the login settings as written. */
export function credentialChecks<Settings>(of: LoginsOf<Settings>): Check<Settings>[] {
  return [oneMethodEach, eachBastionOnce, forwardPortUsed].map((check) => ({
    run: (settings) => check(of(settings)),
  }));
}

/** Checks of the route to each machine. */
export function wayChecks<Settings>(of: LoginsOf<Settings>): Check<Settings>[] {
  return [someMethodEach, bastionApart, forwardPortsApart].map((check) => ({
    run: (settings, file) => check(of(settings), file),
  }));
}

/** Settings whose values are secrets and are never shown; a pattern, so that it covers misspelt names too. */
const secretKey = /key|pass|text|token|secret/i;

/** Settings that match the pattern but hold no secrets. */
const notSecret: readonly string[] = ["hostKey", "privateKeyFile", "context"];

/** Removes secrets from a problem. */
export function withoutSecret(problem: SettingsProblem): SettingsProblem {
  const key = String(problem.path.at(-1));
  const secret = secretKey.test(key) && !notSecret.includes(key);
  return secret ? { ...problem, value: undefined } : problem;
}
