import * as z from "zod";
import { addressNumber, contains, parseRange } from "../../../config/ipv4.ts";
import { type Check, unless } from "../../../config/problem.ts";
import type { CheckedPodNetwork } from "../pod-network.ts";

export const flannelSettings = z
  .strictObject({
    backend: z.enum(["vxlan", "host-gw"]).default("vxlan").meta({
      description:
        "How packets get from node to node: `vxlan` (VNI 4096, port 4789, as Windows requires), or `host-gw` (plain routes between nodes, which are all on one segment, and an l2bridge network on Windows).",
    }),
  })
  .prefault({});

export interface FlannelSection {
  readonly flannel: z.output<typeof flannelSettings>;
}

export const flannelChecks: readonly Check<CheckedPodNetwork<FlannelSection>>[] = [
  // host-gw routes packets directly from node to node, so all nodes must be on one network segment.
  {
    reads: ["cni.kind", "cni.flannel.backend", "network.cidr"],
    run: ({ cni, nodes, network }) =>
      cni.kind !== "flannel" || cni.flannel.backend !== "host-gw"
        ? []
        : nodes.flatMap(({ nodeIp }, index) =>
            unless(nodeIp === undefined || isOn(network.cidr, nodeIp), {
              path: ["nodes", index, "nodeIp"],
              why: `is not on the lab's segment ${network.cidr}, and kindows:cni.flannel.backend host-gw needs all nodes on one segment`,
              instead:
                "Leave it out for the machine's own address, or write vxlan for the backend.",
            }),
          ),
  },
];

/** Also true for a malformed value, which another check reports. */
function isOn(segment: string, address: string): boolean {
  const [range, number] = [parseRange(segment), addressNumber(address)];
  return range === undefined || number === undefined || contains(range, number);
}
