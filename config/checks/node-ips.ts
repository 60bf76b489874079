import { pathText } from "../problem.ts";
import type { Check } from "./check.ts";

/** No two nodes register with the same address, and none with another machine's. */
export const nodeIps: Check = {
  reads: [],
  run: ({ nodes }) =>
    nodes.flatMap(({ nodeIp }, index) => {
      const other = nodes.findIndex(
        (node, place) =>
          place !== index && (node.address === nodeIp || (node.nodeIp === nodeIp && place < index)),
      );
      return nodeIp === undefined || other < 0
        ? []
        : [
            {
              path: ["nodes", index, "nodeIp"],
              value: nodeIp,
              why: `is the address of ${pathText(["nodes", other])} (${nodes[other]?.name ?? ""}) too`,
              instead: "Write another one, or leave it out for the machine's own address.",
            },
          ];
    }),
};
