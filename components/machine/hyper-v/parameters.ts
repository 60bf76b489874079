import { createHash } from "node:crypto";
import * as z from "zod";
import type { HyperVHostSettings } from "./settings.ts";

/** A Hyper-V host, without the id of the machines' owner. */
const targetSchema = z.object({
  name: z.string(),
  address: z.string(),
  port: z.int(),
  user: z.string(),
  /** Pinned host key, `ssh-ed25519 AAAA...`. */
  hostKey: z.string(),
  /** File on this host with the private key, which is not encrypted. */
  privateKeyFile: z.string(),
  /** Folder on the Hyper-V host for the lab's machines, in Windows' notation. */
  folder: z.string(),
  /** Prefix of the lab's names, and name of the folder for the scripts. */
  lab: z.string(),
  switchName: z.string(),
  /** VHDX on the Hyper-V host that machines start from. */
  baseDisk: z.string(),
});

/** A Hyper-V host, as a parameter of actions. */
export const hyperVHostSchema = z.strictObject({ ...targetSchema.shape, owner: z.string() });

export const hyperVMachineSchema = z.strictObject({
  name: z.string(),
  /** Id of the instance: `instanceId`. */
  making: z.string(),
  generation: z.union([z.literal(1), z.literal(2)]),
  secureBoot: z.boolean(),
  /** 12 hexadecimal digits. */
  macAddress: z.string(),
  /** IPv4 address that the segment's DHCP server reserves for it. */
  address: z.string(),
  cpus: z.int(),
  memoryMiB: z.int(),
  diskGiB: z.int(),
});

/** The two files of a machine's identity disc; secret. */
export const identitySchema = z.strictObject({ userData: z.string(), metaData: z.string() });

export type HyperVTarget = z.infer<typeof targetSchema>;
export type HyperVHostParameter = z.infer<typeof hyperVHostSchema>;
export type HyperVMachineParameter = z.infer<typeof hyperVMachineSchema>;
export type IdentityParameter = z.infer<typeof identitySchema>;

export function hyperVHostText({ name, user, address, port }: HyperVHostParameter): string {
  return `the Hyper-V host ${name} (${user}@${address}:${port})`;
}

export function hyperVTarget(host: HyperVHostSettings, lab: string): HyperVTarget {
  return targetSchema.parse({ ...host, lab, switchName: host.switch, baseDisk: host.image });
}

/** Length of an id. The scripts accept no other length. */
const digits = 12;

/**
 * Id of the owner of a lab's machines. It is derived from the key that logs in to all of them, which is unique for each
 * state, so that a lab with the same name elsewhere does not touch these machines.
 */
export function ownerId(loginPublicKey: string): string {
  return digest(loginPublicKey.trim().split(/\s+/).slice(0, 2).join(" "));
}

/** Id of an instance of a machine, which depends on all its inputs. In the machine's notes it is called `making`. */
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
