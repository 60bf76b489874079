import * as z from "zod";
import { namesIn } from "../../../config/names.ts";

/** Names machines that are gone for good, separated by commas: taking them out does not ask for them. */
export const goneVariable = "KINDOWS_GONE";

/** Whether a machine, or a host of machines, is said to be gone for good. */
export function isGone(name: string): boolean {
  return namesIn(process.env[goneVariable]).includes(name);
}

/** Where an SSH server is, and that it is the right one. */
export const placeSchema = z.strictObject({
  host: z.string(),
  port: z.number(),
  user: z.string(),
  hostKey: z.string(),
});

const keysSchema = z.strictObject({
  privateKey: z.string().optional(),
  privateKeyPassword: z.string().optional(),
});

/** What logs in to the machine and to the host in between, apart from where they are: errors name these. */
export const accessKeysSchema = z.strictObject({
  machine: keysSchema,
  bastion: keysSchema.optional(),
  /** Of the bastions before it, in their order. */
  through: z.array(keysSchema).optional(),
});

export type Place = z.infer<typeof placeSchema>;
export type AccessKeys = z.infer<typeof accessKeysSchema>;

export const machineSchema = z.strictObject({
  name: z.string(),
  place: placeSchema,
  /** The host from which it is dialled. */
  bastion: placeSchema.optional(),
  /** Bastions before that one, where there are several; the first is dialled from here. */
  through: z.array(placeSchema).optional(),
  /** Longest that its reset may take. */
  seconds: z.number().positive(),
  /** Folder of the step scripts on it, as SFTP writes it. */
  folder: z.string(),
  /** Command that resets it, with `@folder@` for that of the scripts as Windows writes it. */
  reset: z.string(),
  /** Folders that were copied to it and go with the node, as SFTP writes them. */
  media: z.array(z.string()),
});

export type MachineParameter = z.infer<typeof machineSchema>;

/** A machine, and by which hosts it is reached. */
export type MachineWay = Pick<MachineParameter, "name" | "place" | "bastion" | "through">;

/** A machine and the way to it, as errors name it. */
export function wayText(way: MachineWay): string {
  const { name, place } = way;
  const hops = hopsOf(way).map(({ host, port }) => `${host}:${port}`);
  const by = hops.length === 0 ? "" : ` by ${hops.join(", ")}`;
  return `${name} (${place.user}@${place.host}:${place.port}${by})`;
}

export function hopsOf({
  bastion,
  through = [],
}: Pick<MachineWay, "bastion" | "through">): Place[] {
  return bastion === undefined ? [] : [...through, bastion];
}
