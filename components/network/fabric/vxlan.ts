import type { Fabric, FabricEnd } from "./fabric.ts";
import { bridgeDown, bridgeUp } from "./linux-bridge.ts";
import { segmentMtu } from "../packet-size.ts";

/** VXLAN's registered UDP port. */
const port = 4789;

/** In Linux' forwarding database: frames to all, and to addresses that are not known yet. */
const anyone = "00:00:00:00:00:00";

/**
 * One layer-2 segment: each host sends what is for all, or for somebody unknown, to every other host in a static list.
 *
 * The device takes the segment's full packets even if the network below does not take them with 50 bytes more: Linux then
 * tells the sender the smaller size (ICMP), or sends the packet in two fragments.
 */
export const vxlan = {
  choice: "made by kindows: plain Linux VXLAN from each host to each other",
  checks: [],
  onHost: {
    up: (end: FabricEnd) => {
      const [device, { lab, number, host, peers }] = [deviceOf(end), end];
      return `${bridgeUp(end)}
if [ -e /sys/class/net/${device} ]; then ip link delete dev ${device}; fi
ip link add name ${device} mtu ${segmentMtu} type vxlan id ${number} local ${host.address} dstport ${port}
ip link set dev ${device} alias ${lab} addrgenmode none
${peers.map(({ address }) => `bridge fdb append ${anyone} dev ${device} dst ${address}`).join("\n")}
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

/** Of a name that fits into 15 characters, whatever the bridge's is. */
function deviceOf({ number }: FabricEnd): string {
  return `kwx-${number.toString(16).padStart(6, "0")}`;
}
