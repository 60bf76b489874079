import { createHash } from "node:crypto";
import * as z from "zod";
import { localFile } from "../../../config/named-file.ts";
import type { Complaint, SettingsProblem } from "../../../config/problem.ts";
import { adminUser } from "../../../config/sections/windows.ts";
import { hostName } from "../../../config/values/dns-name.ts";
import { hostKey } from "../../../config/values/host-key.ts";
import { between, text } from "../../../config/values/value.ts";
import type { WrittenExisting } from "../../../config/existing.ts";

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

/** An account of a host with SSH: no host, no port, no spaces in it. */
function loginName(value: string): Complaint | undefined {
  return /^[A-Za-z0-9_][A-Za-z0-9_.\\-]{0,63}$/.test(value)
    ? undefined
    : {
        why: "is not an account's name",
        instead: "Write the name alone, e.g. jump; host and port have settings of their own.",
      };
}

type Login = WrittenExisting["login"];
type Credential = Pick<Login, "privateKeyFile" | "privateKey" | "privateKeyPassphrase" | "agent">;

/** Ways to log in, of which one is used, in the order of problems. */
export const ways = ["privateKeyFile", "privateKey", "agent"] as const;

/** The ways that are written. */
export function waysOf(credential: Credential): (typeof ways)[number][] {
  return ways.filter((way) => credential[way] !== undefined && credential[way] !== false);
}

/** The login of one machine: its own settings, else those of all. A way of its own takes the place of all others. */
export function effectiveLogin(all: Login, node: WrittenExisting["nodes"][number]): Login {
  const { user, port, bastions } = node;
  // A port leads to certain bastions: not to others.
  const forwardPort = node.forwardPort ?? (bastions === undefined ? all.forwardPort : undefined);
  return {
    user: user ?? all.user,
    port: port ?? all.port,
    bastions: bastions ?? all.bastions,
    ...(forwardPort !== undefined && { forwardPort }),
    ...ownOr(node, all),
  };
}

/** The bastions of a machine's login. One that names no way of its own is logged in to as the machine is. */
export function effectiveHops(login: Login): Login["bastions"] {
  return login.bastions.map(({ address, port, user, hostKey, ...credential }) => ({
    ...{ address, port, user, hostKey },
    ...ownOr(credential, login),
  }));
}

/** What logs in: of the one where something is written there, else of the other. */
function ownOr(own: Credential, other: Credential): Credential {
  const { privateKeyFile, privateKey, privateKeyPassphrase, agent } =
    waysOf(own).length > 0 ? own : other;
  return {
    ...(privateKeyFile !== undefined && { privateKeyFile }),
    ...(privateKey !== undefined && { privateKey }),
    ...(privateKeyPassphrase !== undefined && { privateKeyPassphrase }),
    ...(agent !== undefined && { agent }),
  };
}

/** Every place where a credential can be written, with what is written there. */
export function credentials({ login, nodes }: Pick<WrittenExisting, "login" | "nodes">): readonly {
  readonly path: SettingsProblem["path"];
  readonly credential: Credential;
}[] {
  const bastions = (path: SettingsProblem["path"], list: Login["bastions"] = []) =>
    list.map((credential, hop) => ({ path: [...path, "bastions", hop], credential }));
  return [
    { path: ["login"], credential: login },
    ...bastions(["login"], login.bastions),
    ...nodes.flatMap((node, index) => [
      { path: ["nodes", index], credential: node },
      ...bastions(["nodes", index], node.bastions),
    ]),
  ];
}

/** Default ports: below those that Linux gives out by itself, above those of known services. */
const [firstPort, ports] = [20_000, 10_000];

/**
 * Port of this host by which the last of several bastions is reached; undefined where there are fewer. It is part of
 * the resources' inputs, so it depends on the settings alone; each stack has its own.
 *
 * @param login of one machine, with what it has in common with others.
 * @param file name of the stack's settings.
 */
export function effectiveForwardPort(login: Login, file: string): number | undefined {
  if (login.bastions.length < 2) {
    return undefined;
  }
  // Not the keys themselves: they are secrets, and a new one is no other way.
  const way = effectiveHops(login).map(({ address, port, user, privateKeyFile, agent }) => [
    ...[address, port, user, privateKeyFile ?? "", agent === true],
  ]);
  const hash = createHash("sha256")
    .update(JSON.stringify([file, way]))
    .digest();
  return login.forwardPort ?? firstPort + (hash.readUInt32BE(0) % ports);
}
