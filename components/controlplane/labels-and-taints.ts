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
    sameEntries(labels, node.metadata?.labels ?? {}) &&
    sameTaints(taints, present)
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

function sameEntries(
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}

/** Without regard to their order, and to when a taint was added. */
function sameTaints(one: readonly V1Taint[], other: readonly V1Taint[]): boolean {
  const text = (taints: readonly V1Taint[]): string =>
    JSON.stringify(
      taints.map((taint) => `${taint.key}=${taint.value ?? ""}:${taint.effect}`).sort(),
    );
  return text(one) === text(other);
}
