import { isDeepStrictEqual } from "node:util";
import type { V1Node, V1Taint } from "@kubernetes/client-node";
import * as z from "zod";

/** Labels and taints that the settings give a node, in addition to those that it has from others. */
export interface LabelsAndTaints {
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly V1Taint[];
}

/** Records as JSON which labels and taints kindows has set, so that only those are removed with their settings. */
const ownAnnotation = "kindows.dev/set";

/** Content of the annotation: keys of labels, and `key:effect` of taints. */
const ownedSchema = z.object({
  labels: z.array(z.string()).default([]),
  taints: z.array(z.string()).default([]),
});

/**
 * The node with these labels and taints, and without those that kindows had set before and that are no longer wanted.
 * Undefined if nothing has to change.
 */
export function withLabelsAndTaints(node: V1Node, set: LabelsAndTaints): V1Node | undefined {
  const owned = ownedBy(node);
  const wanted = {
    labels: Object.keys(set.labels).sort(),
    taints: set.taints.map(taintId).sort(),
  };
  const presentLabels = Object.entries(node.metadata?.labels ?? {});
  const foreign = presentLabels.filter(([key]) => !owned.labels.includes(key));
  const labels = { ...Object.fromEntries(foreign), ...set.labels };
  const present = node.spec?.taints ?? [];
  const ours = [...owned.taints, ...wanted.taints];
  const taints = [...present.filter((taint) => !ours.includes(taintId(taint))), ...set.taints];
  const isEmpty = wanted.labels.length === 0 && wanted.taints.length === 0;
  const { [ownAnnotation]: before, ...annotations } = node.metadata?.annotations ?? {};
  const record = isEmpty ? undefined : JSON.stringify(wanted);
  if (
    before === record &&
    isDeepStrictEqual(labels, node.metadata?.labels ?? {}) &&
    isDeepStrictEqual(taintTexts(taints), taintTexts(present))
  ) {
    return undefined;
  }
  if (record !== undefined) annotations[ownAnnotation] = record;
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
    // Somebody has changed the annotation. What kindows had set is unknown now, so nothing is removed.
    return { labels: [], taints: [] };
  }
}

/** Comparable texts of taints, without their order and `timeAdded`. */
function taintTexts(taints: readonly V1Taint[]): string[] {
  return taints.map(({ key, value, effect }) => `${key}=${value ?? ""}:${effect}`).sort();
}
