import { createHash } from "node:crypto";

/**
 * A stable MAC address for a machine, with QEMU's prefix 52:54:00.
 *
 * It is derived from the names of the lab and the machine, so that a preview shows it, a recreated machine keeps its
 * DHCP reservation, and two labs on one host differ.
 */
export function macAddress(labPrefix: string, machineName: string): string {
  const digest = createHash("sha256").update(`${labPrefix}/${machineName}`).digest("hex");
  const tail = [digest.slice(0, 2), digest.slice(2, 4), digest.slice(4, 6)];
  return ["52", "54", "00", ...tail].join(":");
}
