import type { HostProblem } from "../../config/host-problem.ts";
import { unless } from "../../config/problem.ts";

/** MTU of libvirt's networks and of the machines on them, unless the settings say less; that of Ethernet. */
export const segmentMtu = 1500;

/** The smallest that IPv6 and Calico allow. */
export const leastMtu = 1280;

/** Reports a bridge whose MTU is smaller than that of the machines. @param sent the largest packet that they send */
export function smallPackets(
  subject: string,
  mtu: number | undefined,
  sent: number,
): HostProblem[] {
  return unless(mtu === undefined || mtu >= sent, {
    subject,
    why: `has an MTU of ${mtu}, but the machines send packets of ${sent} bytes: large ones would be lost`,
    instead: `Give it, and the links that connect it, an MTU of ${sent}; below a VXLAN, ${sent + 50} (docs/fleet.md).`,
  });
}
