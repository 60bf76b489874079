import type { SettingsProblem } from "../problem.ts";
import type { NamedSettings } from "../settings.ts";

/** The part of the settings it is about; stacks of every kind have it. */
interface TaintSettings {
  readonly nodes: readonly Pick<NamedSettings["nodes"][number], "taints">[];
}

/** Kubernetes tells taints apart by key and effect; a node can't have one twice. */
export const nodeTaints = {
  reads: [],
  run: ({ nodes }: TaintSettings): SettingsProblem[] =>
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
