import { createHash } from "node:crypto";
import type { HyperVHostParameter, HyperVMachineParameter } from "./parameters.ts";

/** Length of an identifier; the scripts take no other. */
const digits = 12;

/**
 * Identifies the owner of a lab's machines by the key that logs in to all of them, which no other lab and no other state
 * has. So a lab of the same name, run from somewhere else, touches none of them.
 */
export function ownerId(loginPublicKey: string): string {
  return digest(loginPublicKey.trim().split(/\s+/).slice(0, 2).join(" "));
}

/** What an instance of a machine is made of. */
export interface InstanceInputs {
  readonly host: Pick<HyperVHostParameter, "hostKey" | "folder" | "switchName" | "baseDisk">;
  readonly machine: Omit<HyperVMachineParameter, "making" | "address">;
  /** The machine's own SSH host key. */
  readonly hostPublicKey: string;
}

/** Identifies an instance of a machine: any other input is another instance. In the machine's notes it is called `making`. */
export function instanceId({ host, machine, hostPublicKey }: InstanceInputs): string {
  const { hostKey, folder, switchName, baseDisk } = host;
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
