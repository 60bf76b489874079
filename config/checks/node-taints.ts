import type { Check } from "./check.ts";

/** Kubernetes tells taints apart by key and effect; a node can't have one twice. */
export const nodeTaints: Check = {
  reads: [],
  run: ({ nodes }) =>
    nodes.flatMap(({ taints }, node) =>
      taints.flatMap(({ key, effect }, index) =>
        taints.findIndex((one) => one.key === key && one.effect === effect) < index
          ? [
              {
                path: ["nodes", node, "taints", index],
                value: `${key}:${effect}`,
                why: "is there twice",
                instead: "Leave one of them out.",
              },
            ]
          : [],
      ),
    ),
};
