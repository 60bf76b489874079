import type { Fabric, FabricEnd } from "./fabric.ts";
import { bridgeDown, bridgeUp } from "./linux-bridge.ts";
import { segmentMtu } from "../packet-size.ts";

/** VXLAN's registered UDP port. */
const port = 4789;

/** Entry of the forwarding database for broadcasts and for frames to unknown addresses. */
const allZeros = "00:00:00:00:00:00";

/**
 * One layer-2 segment. Each host floods broadcasts and frames to unknown addresses to a static list of the other hosts.
 *
 * The device accepts the segment's full packets even if the underlying network cannot carry the 50 additional bytes.
 * Linux then reports the smaller size to the sender (ICMP), or fragments the packet.
 */
export const vxlan = {
  choice: "made by kindows: plain Linux VXLAN from each host to each other",
  checks: [],
  onHost: {
    up: (end: FabricEnd) => {
      const [device, { mark, number, host, peers }] = [deviceOf(end), end];
      return `${bridgeUp(end)}
if [ -e /sys/class/net/${device} ]; then ip link delete dev ${device}; fi
ip link add name ${device} mtu ${segmentMtu} type vxlan id ${number} local ${host.address} dstport ${port}
ip link set dev ${device} alias ${mark} addrgenmode none
${peers.map(({ address }) => `bridge fdb append ${allZeros} dev ${device} dst ${address}`).join("\n")}
ip link set dev ${device} master ${host.bridge} up`;
    },
    down: (end: FabricEnd) => {
      const device = deviceOf(end);
      return `if is_own ${device}; then ip link delete dev ${device}; fi\n${bridgeDown(end)}`;
    },
    probe: () =>
      `{ command -v ip && command -v bridge; } >/dev/null || echo iproute2
unshare -n ip link add name kwx type vxlan id 1 dstport ${port} 2>/dev/null || echo vxlan`,
    remedies: {
      iproute2: {
        why: "lacks the programs ip and bridge",
        instead: "Install its package iproute2.",
      },
      vxlan: {
        why: "cannot make a VXLAN",
        instead: "Make `modprobe vxlan` succeed there; the module is in the kernel's package.",
      },
    },
    after: [],
  },
} satisfies Fabric;

/** Name of the VXLAN device, which is at most 15 characters long. */
function deviceOf({ number }: FabricEnd): string {
  return `kwx-${number.toString(16).padStart(6, "0")}`;
}
