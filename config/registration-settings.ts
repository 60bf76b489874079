import * as z from "zod";
import { kubeletArgumentName, kubeletArgumentValue } from "./values/kubelet-argument.ts";
import { labelKey, labelValue, qualifiedName } from "./values/node-label.ts";
import { text } from "./values/value.ts";

const taint = z.strictObject({
  key: text(qualifiedName).meta({ description: "Taint key." }),
  value: text(labelValue).default("").meta({ description: "Taint value." }),
  effect: z
    .enum(["NoSchedule", "PreferNoSchedule", "NoExecute"])
    .meta({ description: "What it does to pods that don't tolerate it." }),
});

/** What a node registers with, whatever machine it is on. */
export const registration = {
  labels: z
    .record(text(labelKey), text(labelValue))
    .default({})
    .meta({ description: "Labels the node registers with; changed ones are set on it." }),
  taints: z
    .array(taint)
    .default([])
    .meta({ description: "Taints the node registers with; changed ones are set on it." }),
  kubeletArgs: z.record(text(kubeletArgumentName), text(kubeletArgumentValue)).default({}).meta({
    description:
      'Arguments of kubelet in addition, by name without dashes, e.g. `max-pods: "60"`. Those that this program gives are refused.',
  }),
};
