import * as z from "zod";

/** A Hyper-V host, as its actions are told of it. */
export const hyperVHostSchema = z.strictObject({
  /** What `nodes[].hypervisor` calls it. */
  name: z.string(),
  address: z.string(),
  port: z.int(),
  /** An administrator there. */
  user: z.string(),
  /** Pinned: `ssh-ed25519 AAAA...`. */
  hostKey: z.string(),
  /** Private key on this host, not encrypted. */
  privateKeyFile: z.string(),
  /** Virtual switch that is on the lab's segment. */
  switchName: z.string(),
  /** Folder there for the lab's machines, as Windows writes it. */
  folder: z.string(),
  /** VHDX there that machines start from. */
  baseDisk: z.string(),
  /** Prefix of the lab's names: what is there besides machines lies in a folder of that name. */
  lab: z.string(),
  /** Whose machines are the lab's. */
  owner: z.string(),
});

/** A machine on such a host. */
export const hyperVMachineSchema = z.strictObject({
  /** Name of the virtual machine, e.g. `kindows-fleet-win-1`. */
  name: z.string(),
  /** Identifies this instance of it. */
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

export type HyperVHostParameter = z.infer<typeof hyperVHostSchema>;
export type HyperVMachineParameter = z.infer<typeof hyperVMachineSchema>;
export type IdentityParameter = z.infer<typeof identitySchema>;

/** A host as errors name it. */
export function hyperVHostText({ name, user, address, port }: HyperVHostParameter): string {
  return `the Hyper-V host ${name} (${user}@${address}:${port})`;
}
