import type { HostProblem } from "../../config/host-problem.ts";
import { unless } from "../../config/problem.ts";

/** What libvirt's networks, and machines on them, send in one packet. */
export const segmentMtu = 1500;

/** A bridge of the segment carries what machines send. */
export function smallPackets(subject: string, mtu: number | undefined): HostProblem[] {
  return unless(mtu === undefined || mtu >= segmentMtu, {
    subject,
    why: `takes packets of ${mtu} bytes, the machines send ${segmentMtu}: large ones would be lost`,
    instead: `Give it, and what connects it, an MTU of ${segmentMtu}; a VXLAN wants 50 more below it (docs/fleet.md).`,
  });
}
