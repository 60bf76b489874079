import * as z from "zod";
import { adminUser } from "../values/admin-user.ts";
import { hostName } from "../values/endpoint.ts";
import { hostKey } from "../values/host-key.ts";
import { localFile } from "../values/local-file.ts";
import { loginName } from "../values/login-name.ts";
import { between, text } from "../values/value.ts";

const port = between(1, 65535);

/** With what somebody logs in; one of the three, or what all machines have in common. */
const credential = {
  privateKeyFile: text(localFile)
    .optional()
    .meta({ description: "Absolute path of the private key on this host.", default: "none" }),
  privateKey: z.string().optional().meta({
    description:
      "The private key itself, as a secret: `pulumi config set --secret --path 'kindows:login.privateKey' < KEY`.",
  }),
  privateKeyPassphrase: z.string().optional().meta({
    description: "Passphrase of the key, as a secret, where it is encrypted.",
  }),
  agent: z.boolean().optional().meta({
    description: "Whether the agent behind `SSH_AUTH_SOCK` logs in, instead of a key.",
    default: "`false`",
  }),
};

const bastion = z.strictObject({
  address: text(hostName).meta({ description: "IPv4 address or DNS name of the host in between." }),
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
    "Hosts through which the machine is reached, in their order, each from the one before it; none: directly.",
});

const forwardPort = between(1024, 65535).optional().meta({
  description:
    "With several bastions: port on 127.0.0.1 of this host that leads to the last of them while the program runs (docs/existing.md).",
  default: "one that follows from the bastions",
});

/** What all machines have in common in how they are logged in to. */
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
