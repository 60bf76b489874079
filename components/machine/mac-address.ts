import { createHash } from "node:crypto";

/**
 * A stable MAC address for a machine, in QEMU's locally used range 52:54:00.
 *
 * Derived from the lab's and the machine's name, so that a preview shows it, a re-made machine keeps its DHCP
 * reservation, and two labs on one host differ.
 */
export function macAddress(labPrefix: string, machineName: string): string {
  const digest = createHash("sha256").update(`${labPrefix}/${machineName}`).digest("hex");
  const tail = [digest.slice(0, 2), digest.slice(2, 4), digest.slice(4, 6)];
  return ["52", "54", "00", ...tail].join(":");
}
