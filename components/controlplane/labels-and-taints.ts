import { isDeepStrictEqual } from "node:util";
import type { V1Node, V1Taint } from "@kubernetes/client-node";
import * as z from "zod";

/** Labels and taints a node shall have, besides those it has from others. */
export interface LabelsAndTaints {
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly V1Taint[];
}

/** Names what was set from here, as JSON, so that what is taken out of the settings goes and nothing else. */
const ownAnnotation = "kindows.dev/set";

/** What the annotation holds: keys of labels, and `key:effect` of taints. */
const ownedSchema = z.object({
  labels: z.array(z.string()).default([]),
  taints: z.array(z.string()).default([]),
});

/**
 * The node with these labels and taints, and without those that were set from here before; undefined when it is so
 * already.
 */
export function withLabelsAndTaints(node: V1Node, set: LabelsAndTaints): V1Node | undefined {
  const owned = ownedBy(node);
  const wanted = {
    labels: Object.keys(set.labels).sort(),
    taints: set.taints.map(taintId).sort(),
  };
  const others = Object.entries(node.metadata?.labels ?? {});
  const foreign = others.filter(([key]) => !owned.labels.includes(key));
  const labels = { ...Object.fromEntries(foreign), ...set.labels };
  const present = node.spec?.taints ?? [];
  const ours = [...owned.taints, ...wanted.taints];
  const taints = [...present.filter((taint) => !ours.includes(taintId(taint))), ...set.taints];
  const nothing = wanted.labels.length === 0 && wanted.taints.length === 0;
  const { [ownAnnotation]: before, ...annotations } = node.metadata?.annotations ?? {};
  const note = nothing ? undefined : JSON.stringify(wanted);
  if (
    before === note &&
    isDeepStrictEqual(labels, node.metadata?.labels ?? {}) &&
    isDeepStrictEqual(taintTexts(taints), taintTexts(present))
  ) {
    return undefined;
  }
  if (note !== undefined) annotations[ownAnnotation] = note;
  return {
    ...node,
    metadata: { ...node.metadata, labels, annotations },
    spec: { ...node.spec, taints },
  };
}

function taintId({ key, effect }: V1Taint): string {
  return `${key}:${effect}`;
}

function ownedBy(node: V1Node): z.infer<typeof ownedSchema> {
  try {
    return ownedSchema.parse(JSON.parse(node.metadata?.annotations?.[ownAnnotation] ?? "{}"));
  } catch {
    // Somebody wrote into it: what was ours is not known any more, so nothing is taken away.
    return { labels: [], taints: [] };
  }
}

/** Without regard to their order, and to when a taint was added. */
function taintTexts(taints: readonly V1Taint[]): string[] {
  return taints.map(({ key, value, effect }) => `${key}=${value ?? ""}:${effect}`).sort();
}
