import { addressNumber, contains, parseRange } from "../../ipv4.ts";
import type { SettingsProblem } from "../../problem.ts";
import { nodeIp } from "../../values/node-ip.ts";
import type { ExistingCheck } from "../check.ts";

/** A machine without `nodeIp` registers with its address, and kubelet does not take every one. */
export const addressRegisters: ExistingCheck = {
  reads: [],
  run: ({ nodes }) =>
    nodes.flatMap((node, index): SettingsProblem[] => {
      const complaint = node.nodeIp === undefined ? nodeIp(node.address) : undefined;
      return complaint === undefined
        ? []
        : [
            {
              path: ["nodes", index, "address"],
              value: node.address,
              why: complaint.why,
              instead:
                "Write an address that other nodes reach the machine at, there or as its nodeIp.",
            },
          ];
    }),
};

/** The range is that of the nodes' own addresses: one of them outside it is mistyped, or the range is too small. */
export const flannelRangeHolds: ExistingCheck = {
  reads: ["cni.nodeCidr"],
  run({ cni: { nodeCidr }, nodes }) {
    const range = nodeCidr === undefined ? undefined : parseRange(nodeCidr);
    return range === undefined
      ? []
      : nodes.flatMap((node, index): SettingsProblem[] => {
          const key = node.nodeIp === undefined ? "address" : "nodeIp";
          const value = node.nodeIp ?? node.address;
          return contains(range, addressNumber(value) ?? -1)
            ? []
            : [
                {
                  path: ["nodes", index, key],
                  value,
                  why: `is outside kindows:cni.nodeCidr, ${nodeCidr ?? ""}`,
                  instead:
                    "Write the machine's own address in that range as its nodeIp, or the range of all nodes.",
                },
              ];
        });
  },
};
