import { createHash } from "node:crypto";
import * as z from "zod";
import { localFile } from "../../../config/named-file.ts";
import { pathText, type SettingsProblem, unless } from "../../../config/problem.ts";
import { adminUser } from "../../../config/sections/windows.ts";
import { hostName } from "../../../config/values/dns-name.ts";
import { hostKey } from "../../../config/values/host-key.ts";
import { privateKey } from "../../../config/values/private-key.ts";
import { between, ofForm, text } from "../../../config/values/value.ts";
import type { Bastion, WrittenExisting } from "../../../config/existing.ts";

const port = between(1, 65535);

/** Credentials: one of the three, or those that all machines have in common. */
const credential = {
  privateKeyFile: text(localFile)
    .optional()
    .meta({ description: "Absolute path of the private key on this host.", default: "none" }),
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

/** An account of a host with SSH: no host, no port, no spaces in it. */
const loginName = ofForm(
  /^[A-Za-z0-9_][A-Za-z0-9_.\\-]{0,63}$/,
  "is not an account's name",
  "Write the name alone, e.g. jump; host and port have settings of their own.",
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
    "Hosts through which the machine is reached, in order, each from the one before; none: directly.",
});

const forwardPort = between(1024, 65535).optional().meta({
  description:
    "With several bastions: port on 127.0.0.1 of this host that leads to the last of them while the program runs (docs/existing.md).",
  default: "one that follows from the bastions",
});

/** The login that all machines have in common. */
export const login = z.strictObject({
  user: text(adminUser).default("Administrator").meta({
    description: "Account of the machines, one of their administrators.",
  }),
  port: port.default(22).meta({ description: "SSH port of the machines." }),
  ...credential,
  bastions: bastions.default([]),
  forwardPort,
});

/** The same of one machine, where it differs from all. */
export const ownLogin = {
  user: text(adminUser).optional().meta({
    description: "Account of this machine.",
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
    default: "`login.forwardPort`; with bastions of its own, one that follows from these",
  }),
};

type Login = WrittenExisting["login"];
type Credential = Pick<Login, "privateKeyFile" | "privateKey" | "privateKeyPassphrase" | "agent">;

/** Ways to log in, of which one is used, in the order of problems. */
const ways = ["privateKeyFile", "privateKey", "agent"] as const;

function waysOf(credential: Partial<Credential>): (typeof ways)[number][] {
  return ways.filter((way) => credential[way] !== undefined && credential[way] !== false);
}

/**
 * A login with all that it takes from elsewhere. A machine has what is not its own from that of all, and a bastion that names
 * no way of its own is logged in to as the machine is. A way of its own takes the place of all others.
 *
 * @param own what a machine has of its own; nothing for the login of all.
 * @param file of the settings: each stack has a port of its own by it.
 */
export function wholeLogin(all: Login, own: Partial<Login>, file: string): Login {
  const credential = ownOr(own, all);
  const bastions = (own.bastions ?? all.bastions).map(
    ({ address, port, user, hostKey, ...way }) => ({
      address,
      port,
      user,
      hostKey,
      ...ownOr(way, credential),
    }),
  );
  // A port leads to certain bastions: not to others.
  const written = own.forwardPort ?? (own.bastions === undefined ? all.forwardPort : undefined);
  return {
    user: own.user ?? all.user,
    port: own.port ?? all.port,
    ...credential,
    bastions,
    forwardPort: bastions.length < 2 ? undefined : (written ?? usualForwardPort(bastions, file)),
  };
}

/** What logs in: of the one where something is written there, else of the other. */
function ownOr(own: Credential, other: Credential): Credential {
  const { privateKeyFile, privateKey, privateKeyPassphrase, agent } =
    waysOf(own).length > 0 ? own : other;
  return { privateKeyFile, privateKey, privateKeyPassphrase, agent };
}

type Path = SettingsProblem["path"];

/** What is written of logins: of all machines together, and of each. */
function writtenLogins({
  login,
  nodes,
}: WrittenExisting): readonly { readonly path: Path; readonly own: Partial<Login> }[] {
  return [
    { path: ["login"], own: login },
    ...nodes.map((own, index) => ({ path: ["nodes", index], own })),
  ];
}

/** Default ports: below those that Linux gives out by itself, above those of known services. */
const [firstPort, ports] = [20_000, 10_000];

/**
 * Port of this host by which the last of several bastions is reached. It is part of the resources' inputs, so it depends on
 * the settings alone.
 */
function usualForwardPort(bastions: readonly Bastion[], file: string): number {
  // Not the keys themselves: they are secrets, and a new one is no other way.
  const way = bastions.map(({ address, port, user, privateKeyFile, agent }) => [
    ...[address, port, user, privateKeyFile ?? "", agent === true],
  ]);
  const hash = createHash("sha256")
    .update(JSON.stringify([file, way]))
    .digest();
  return firstPort + (hash.readUInt32BE(0) % ports);
}

function bastionApart({ login, nodes }: WrittenExisting): SettingsProblem[] {
  return nodes.flatMap((node, index) => {
    const bastions = node.bastions ?? login.bastions;
    const isOther = (one: Bastion): boolean =>
      one.address !== node.address && one.hostKey !== node.hostKey;
    return unless(bastions.every(isOther), {
      path: ["nodes", index],
      value: node.name,
      why: "is its own bastion: the same address or host key",
      instead: "Write bastions: [] there, if it is reached directly, or the right host.",
    });
  });
}

function eachBastionOnce(settings: WrittenExisting): SettingsProblem[] {
  return writtenLogins(settings).flatMap(({ path, own: { bastions = [] } }) =>
    bastions.flatMap((one, hop) => {
      const before = bastions.slice(0, hop).findIndex((other) => isSame(one, other));
      return unless(before < 0, {
        path: [...path, "bastions", hop],
        value: one.address,
        why: `is bastions[${before}] once more: the same address and port, or the same host key`,
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

function forwardPortUsed(settings: WrittenExisting): SettingsProblem[] {
  return writtenLogins(settings).flatMap(({ path, own }) => {
    const { forwardPort, bastions = settings.login.bastions } = own;
    return unless(forwardPort === undefined || bastions.length > 1, {
      path: [...path, "forwardPort"],
      why: `is for several bastions one behind the other, of which there ${bastions.length === 1 ? "is 1" : "are none"}`,
      instead: "Leave it out.",
    });
  });
}

function forwardPortsApart(
  { login, nodes, machine }: WrittenExisting,
  file: string,
): SettingsProblem[] {
  const first = new Map<number, { readonly name: string; readonly way: string }>();
  // Those that are made are all reached by the same bastions.
  const made = (machine?.nodes ?? []).map((node) => ({ node, own: {}, index: -1 }));
  const there = nodes.map((node, index) => ({ node, own: node, index }));
  return [...made, ...there].flatMap(({ node, own, index }) => {
    const { bastions, forwardPort: port } = wholeLogin(login, own, file);
    if (port === undefined) return [];
    const way = wayOf(bastions);
    const other = first.get(port) ?? { name: node.name, way };
    first.set(port, other);
    return unless(other.way === way, {
      path: ["nodes", index, "forwardPort"],
      value: port,
      why: `leads to the bastions of ${other.name}, which are others than those of ${node.name}, or are logged in to otherwise`,
      instead: "Write another port there, from 1024 to 65535.",
    });
  });
}

/** What a forwarded port stands for: the hosts before the last with what logs in, and where the last one is. */
function wayOf(bastions: readonly Bastion[]): string {
  const last = bastions.at(-1);
  return JSON.stringify([bastions.slice(0, -1), last?.address, last?.port]);
}

/** Everywhere at most one way to log in; a key in the settings is one. Values are secrets: none is shown. */
function oneWayEach(settings: WrittenExisting): SettingsProblem[] {
  return writtenLogins(settings).flatMap(({ path, own }) => [
    ...credentialProblems(path, own),
    ...(own.bastions ?? []).flatMap((one, hop) =>
      credentialProblems([...path, "bastions", hop], one),
    ),
  ]);
}

function credentialProblems(path: Path, credential: Partial<Credential>): SettingsProblem[] {
  const { privateKey: key, privateKeyPassphrase: passphrase } = credential;
  const written = waysOf(credential);
  if (written.length > 1) {
    const why = `has several ways to log in: ${written.join(", ")}`;
    return [{ path, why, instead: "Keep one of them." }];
  }
  if (passphrase !== undefined && (written[0] ?? "agent") === "agent") {
    const why = "has no key beside it that it could open";
    const instead = "Write privateKeyFile or privateKey there too, or leave it out.";
    return [{ path: [...path, "privateKeyPassphrase"], why, instead }];
  }
  const wrong = key === undefined ? undefined : privateKey(key, passphrase !== undefined);
  return wrong === undefined ? [] : [{ path: [...path, "privateKey"], ...wrong }];
}

/** A machine that is made has a key of its own; the bastions before it do not. */
function someWay({ login, nodes, machine }: WrittenExisting): SettingsProblem[] {
  const before = machine === undefined || machine.nodes.length === 0 ? [] : login.bastions;
  const places: readonly { path: Path; value: string; own: Credential }[] = [
    ...before.map((own, hop) => ({
      path: ["login", "bastions", hop],
      value: own.address,
      own,
    })),
    ...nodes.map((own, index) => ({ path: ["nodes", index], value: own.name, own })),
  ];
  return places.flatMap(({ path, value, own }) =>
    unless(waysOf(ownOr(own, login)).length > 0, {
      path,
      value,
      why: "cannot be logged in to: no key and no agent is named",
      instead: `Write ${ways.join(", ")}: one of them, there or under ${pathText(["login"])}.`,
    }),
  );
}

/** Of what is written anywhere. */
export const credentialChecks = [oneWayEach, eachBastionOnce, forwardPortUsed].map((run) => ({
  run,
}));

/** Of the way that each machine is reached by. */
export const wayChecks = [someWay, bastionApart, forwardPortsApart].map((run) => ({ run }));
