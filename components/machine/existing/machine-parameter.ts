import * as z from "zod";
import { namesIn } from "../../../config/names.ts";

/**
 * Environment variable with the comma-separated names of machines that are gone for good. They are removed without a
 * reset.
 */
export const goneVariable = "KINDOWS_GONE";

/** Whether the variable names this machine or host. */
export function isGone(name: string): boolean {
  return namesIn(process.env[goneVariable]).includes(name);
}

/** An SSH server, with the account and the pinned host key. */
export const sshServerSchema = z.strictObject({
  host: z.string(),
  port: z.number(),
  user: z.string(),
  hostKey: z.string(),
});

const keysSchema = z.strictObject({
  privateKey: z.string().optional(),
  privateKeyPassword: z.string().optional(),
});

/** Keys for the machine and its bastions. They are separate from the servers' addresses, which are no secrets. */
export const accessKeysSchema = z.strictObject({
  machine: keysSchema,
  bastion: keysSchema.optional(),
  /** Keys for the bastions before that one, in order. */
  through: z.array(keysSchema).optional(),
});

export type SshServer = z.infer<typeof sshServerSchema>;
export type AccessKeys = z.infer<typeof accessKeysSchema>;

export const machineSchema = z.strictObject({
  name: z.string(),
  /** Whether a machine that is called otherwise gets that name. */
  mayRename: z.boolean().optional(),
  server: sshServerSchema,
  /** The bastion from which the machine is dialled. */
  bastion: sshServerSchema.optional(),
  /** The bastions before that one, in order; the first is dialled from this host. */
  through: z.array(sshServerSchema).optional(),
  /** Time limit of the reset. */
  seconds: z.number().positive(),
  /** Folder of the step scripts on the machine, in SFTP's notation. */
  folder: z.string(),
  /** Command that resets the machine. `@folder@` is replaced by the folder of the scripts in Windows' notation. */
  reset: z.string(),
  /** Folders that were copied to the machine and are removed with the node, in SFTP's notation. */
  media: z.array(z.string()),
});

export type MachineParameter = z.infer<typeof machineSchema>;

/** A machine, and the bastions through which it is reached. */
export type MachineRoute = Pick<MachineParameter, "name" | "server" | "bastion" | "through">;

/** Names a machine and the route to it, for errors. */
export function routeText(route: MachineRoute): string {
  const { name, server } = route;
  const hops = hopsOf(route).map(({ host, port }) => `${host}:${port}`);
  const by = hops.length === 0 ? "" : ` by ${hops.join(", ")}`;
  return `${name} (${server.user}@${server.host}:${server.port}${by})`;
}

export function hopsOf({
  bastion,
  through = [],
}: Pick<MachineRoute, "bastion" | "through">): SshServer[] {
  return bastion === undefined ? [] : [...through, bastion];
}
