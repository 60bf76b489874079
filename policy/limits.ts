import * as z from "zod";

const count = z.number().int().positive();

/** Resource limits of a stack: limits.yaml. */
export const limitsSchema = z.strictObject({
  /** Resources in the state: more of them make each preview slower. */
  resources: count,
  /** Memory of all machines together. */
  machineMemoryMiB: count,
  /** Virtual processors of all machines together. */
  machineCpus: count,
  /** Maximum size of all machines' disks together. */
  machineDiskGiB: count,
});

export type Limits = z.infer<typeof limitsSchema>;
