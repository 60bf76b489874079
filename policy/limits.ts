import * as z from "zod";

const count = z.number().int().positive();

/** What a stack may take at most: limits.yaml. */
export const limitsSchema = z.strictObject({
  /** Resources in the state: more make each preview slower than it needs to be. */
  resources: count,
  /** Memory of all machines together. */
  machineMemoryMiB: count,
  /** Virtual processors of all machines together. */
  machineCpus: count,
  /** Disks of all machines together, as large as they may grow. */
  machineDiskGiB: count,
});

export type Limits = z.infer<typeof limitsSchema>;
