import { createHash } from "node:crypto";
import type { HyperVHostParameter, HyperVMachineParameter } from "./parameters.ts";

/** Digits of a mark; the scripts take no others. */
const digits = 12;

/**
 * Whose machines are a lab's: told by the key that logs in to all of them, which no other lab and no other state has. So
 * a lab of the same name, run from somewhere else, touches none of them.
 */
export function ownerMark(loginPublicKey: string): string {
  return digest(loginPublicKey.trim().split(/\s+/).slice(0, 2).join(" "));
}

/** What makes a machine another one. */
export interface MakingFacts {
  readonly host: Pick<HyperVHostParameter, "hostKey" | "folder" | "switchName" | "baseDisk">;
  readonly machine: Omit<HyperVMachineParameter, "making" | "address">;
  /** The machine's own SSH host key. */
  readonly hostPublicKey: string;
}

/** Which making of a machine it is: another one where anything differs that it was made with. */
export function makingMark({ host, machine, hostPublicKey }: MakingFacts): string {
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
