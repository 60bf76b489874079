import type { HostProblem } from "../../config/host-problem.ts";
import { unless } from "../../config/problem.ts";

/** MTU of libvirt's networks and of the machines on them. */
export const segmentMtu = 1500;

/** Reports a bridge whose MTU is smaller than that of the machines. */
export function smallPackets(subject: string, mtu: number | undefined): HostProblem[] {
  return unless(mtu === undefined || mtu >= segmentMtu, {
    subject,
    why: `has an MTU of ${mtu}, but the machines send packets of ${segmentMtu} bytes: large ones would be lost`,
    instead: `Give it, and the links that connect it, an MTU of ${segmentMtu}; below a VXLAN, ${segmentMtu + 50} (docs/fleet.md).`,
  });
}
