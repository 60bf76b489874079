import { createHash } from "node:crypto";
import * as z from "zod";
import type { Settings } from "../../../config/settings.ts";

/** A Hyper-V host, but for whose machines it runs. */
const placeSchema = z.object({
  name: z.string(),
  address: z.string(),
  port: z.int(),
  user: z.string(),
  /** Pinned: `ssh-ed25519 AAAA...`. */
  hostKey: z.string(),
  /** Private key on this host, not encrypted. */
  privateKeyFile: z.string(),
  /** Folder there for the lab's machines, as Windows writes it. */
  folder: z.string(),
  /** Prefix of the lab's names: what is there besides machines lies in a folder of that name. */
  lab: z.string(),
  switchName: z.string(),
  /** VHDX there that machines start from. */
  baseDisk: z.string(),
});

/** The same as its actions are told of it. */
export const hyperVHostSchema = z.strictObject({ ...placeSchema.shape, owner: z.string() });

export const hyperVMachineSchema = z.strictObject({
  name: z.string(),
  making: z.string(),
  generation: z.union([z.literal(1), z.literal(2)]),
  secureBoot: z.boolean(),
  /** 12 hexadecimal digits. */
  macAddress: z.string(),
  /** IPv4 address that the segment's DHCP server has for it. */
  address: z.string(),
  cpus: z.int(),
  memoryMiB: z.int(),
  diskGiB: z.int(),
});

/** Who the machine is: the two files of its identity disc; secret. */
export const identitySchema = z.strictObject({ userData: z.string(), metaData: z.string() });

export type HyperVPlace = z.infer<typeof placeSchema>;
export type HyperVHostParameter = z.infer<typeof hyperVHostSchema>;
export type HyperVMachineParameter = z.infer<typeof hyperVMachineSchema>;
export type IdentityParameter = z.infer<typeof identitySchema>;

export function hyperVHostText({ name, user, address, port }: HyperVHostParameter): string {
  return `the Hyper-V host ${name} (${user}@${address}:${port})`;
}

/** What actions are told of a host of the settings. */
export function hyperVPlace(host: Settings["hyperVHosts"][number], lab: string): HyperVPlace {
  return placeSchema.parse({ ...host, lab, switchName: host.switch, baseDisk: host.image });
}

/** Length of an identifier; the scripts take no other. */
const digits = 12;

/**
 * Identifies the owner of a lab's machines by the key that logs in to all of them, which no other lab and no other state
 * has. So a lab of the same name, run from somewhere else, touches none of them.
 */
export function ownerId(loginPublicKey: string): string {
  return digest(loginPublicKey.trim().split(/\s+/).slice(0, 2).join(" "));
}

/** Identifies an instance of a machine: any other input is another instance. In the machine's notes it is called `making`. */
export function instanceId(
  { hostKey, folder, switchName, baseDisk }: HyperVHostParameter,
  machine: Omit<HyperVMachineParameter, "making" | "address">,
  hostPublicKey: string,
): string {
  const { name, generation, secureBoot, macAddress, cpus, memoryMiB, diskGiB } = machine;
  return digest(
    JSON.stringify([
      ...[hostKey, folder, switchName, baseDisk],
      ...[name, generation, secureBoot, macAddress, cpus, memoryMiB, diskGiB],
      hostPublicKey,
    ]),
  );
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, digits);
}
