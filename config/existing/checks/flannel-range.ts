import { addressNumber, contains, parseRange } from "../../ipv4.ts";
import type { Check, SettingsProblem } from "../../problem.ts";
import type { WrittenExisting } from "../settings.ts";

/** The range is that of the nodes' own addresses: one of them outside it is mistyped, or the range is too small. */
export const flannelRangeHolds: Check<WrittenExisting> = {
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
