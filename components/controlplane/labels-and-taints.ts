import { isDeepStrictEqual } from "node:util";
import type { V1Node, V1Taint } from "@kubernetes/client-node";

/** Labels and taints a node shall have, besides those it has from others. */
export interface LabelsAndTaints {
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly V1Taint[];
}

/** Names what was set from here, as JSON, so that what is taken out of the settings goes and nothing else. */
const ownAnnotation = "kindows.dev/set";

/** What the annotation holds. */
interface Owned {
  /** Keys of labels. */
  readonly labels: readonly string[];
  /** `key:effect` of taints. */
  readonly taints: readonly string[];
}

/**
 * The node with these labels and taints, and without those that were set from here before; undefined when it is so
 * already.
 */
export function withLabelsAndTaints(node: V1Node, set: LabelsAndTaints): V1Node | undefined {
  const owned = ownedBy(node);
  const wanted: Owned = {
    labels: Object.keys(set.labels).sort(),
    taints: set.taints.map(taintId).sort(),
  };
  const labels = {
    ...Object.fromEntries(
      Object.entries(node.metadata?.labels ?? {}).filter(([key]) => !owned.labels.includes(key)),
    ),
    ...set.labels,
  };
  const present = node.spec?.taints ?? [];
  const kept = present.filter(
    (taint) => ![...owned.taints, ...wanted.taints].includes(taintId(taint)),
  );
  const taints = [...kept, ...set.taints];
  const nothing = wanted.labels.length === 0 && wanted.taints.length === 0;
  const { [ownAnnotation]: before, ...others } = node.metadata?.annotations ?? {};
  const note = nothing ? undefined : JSON.stringify(wanted);
  if (
    before === note &&
    isDeepStrictEqual(labels, node.metadata?.labels ?? {}) &&
    isDeepStrictEqual(taintTexts(taints), taintTexts(present))
  ) {
    return undefined;
  }
  return {
    ...node,
    metadata: {
      ...node.metadata,
      labels,
      annotations: { ...others, ...(note !== undefined && { [ownAnnotation]: note }) },
    },
    spec: { ...node.spec, taints },
  };
}

function taintId({ key, effect }: V1Taint): string {
  return `${key}:${effect}`;
}

function ownedBy(node: V1Node): Owned {
  const text = node.metadata?.annotations?.[ownAnnotation];
  try {
    const { labels, taints } = JSON.parse(text ?? "{}") as Partial<Owned>;
    return { labels: labels ?? [], taints: taints ?? [] };
  } catch {
    // Somebody wrote into it: what was ours is not known any more, so nothing is taken away.
    return { labels: [], taints: [] };
  }
}

/** Without regard to their order, and to when a taint was added. */
function taintTexts(taints: readonly V1Taint[]): string[] {
  return taints.map(({ key, value, effect }) => `${key}=${value ?? ""}:${effect}`).sort();
}
