import { addressNumber, contains, parseRange } from "../ipv4.ts";
import type { Check } from "./check.ts";

/** Flannel's plain routes lead from node to node directly: each must have its address on the one segment. */
export const flannelOnWindows: Check = {
  reads: ["cni.kind", "cni.flannel.backend", "network.cidr"],
  run: ({ cni, nodes, network }) =>
    cni.kind !== "flannel" || cni.flannel.backend !== "host-gw"
      ? []
      : nodes.flatMap(({ nodeIp }, index) =>
          nodeIp === undefined || isOn(network.cidr, nodeIp)
            ? []
            : [
                {
                  path: ["nodes", index, "nodeIp"],
                  value: nodeIp,
                  why: `is not on the lab's segment ${network.cidr}, and kindows:cni.flannel.backend host-gw knows only neighbours`,
                  instead:
                    "Leave it out for the machine's own address, or write vxlan for the backend.",
                },
              ],
        ),
};

/** What is malformed is said elsewhere. */
function isOn(segment: string, address: string): boolean {
  const [range, number] = [parseRange(segment), addressNumber(address)];
  return range === undefined || number === undefined || contains(range, number);
}
