import type { Check } from "../problem.ts";
import type { NamedSettings } from "../settings.ts";
import { addressNumber, contains, parseRange } from "../ipv4.ts";

/** Flannel's plain routes lead from node to node directly: each must have its address on the one segment. */
export const flannelOnWindows: Check<NamedSettings> = {
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

const ofFlannel = ["flannel", "flannelPlugin", "cniPlugins"] as const;

/** Checksums that nothing would look at: Flannel's programs are installed where it is the pod network. */
export const flannelChecksums: Check<NamedSettings> = {
  reads: ["windows.checksums", "windows.image.kind", "cni.kind"],
  run: ({ windows, cni }) =>
    windows.image.kind === "rehearsal" || cni.kind === "flannel"
      ? []
      : ofFlannel.flatMap((name) => {
          const value = windows.checksums[name];
          return value === undefined
            ? []
            : [
                {
                  path: ["windows", "checksums", name],
                  value,
                  why: `has no effect: kindows:cni.kind is ${cni.kind}`,
                  instead: "Leave it out, or write flannel for kindows:cni.kind.",
                },
              ];
        }),
};
