import type { V1Node, V1Taint } from "@kubernetes/client-node";

/** The original taints of a node during a run, as JSON. */
export const recordAnnotation = "kindows.dev/conformance-taints";

/** What the tests take for a Linux node that is none of theirs, by their flag --non-blocking-taints' default. */
const keepOff: V1Taint = { key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" };

/** Taints that Kubernetes itself sets for a node's conditions. */
function isCondition({ key }: V1Taint): boolean {
  return key.startsWith("node.kubernetes.io/");
}

function keepsPodsOff({ effect }: V1Taint): boolean {
  return effect === "NoSchedule" || effect === "NoExecute";
}

/**
 * A node as the tests need it; undefined if it is already.
 *
 * Most tests say nothing of where their pods belong. So Linux nodes are closed to whoever does not tolerate it, as the
 * tests that want Linux do, and Windows nodes are opened. windows-operational-readiness asks for an admission webhook
 * instead, which adds a node selector to every pod of the cluster, those of Linux too.
 */
export function preparedNode(node: V1Node): V1Node | undefined {
  const taints = node.spec?.taints ?? [];
  const windows = node.metadata?.labels?.["kubernetes.io/os"] === "windows";
  const wanted = windows
    ? taints.filter((taint) => isCondition(taint) || !keepsPodsOff(taint))
    : taints.some((taint) => !isCondition(taint) && keepsPodsOff(taint))
      ? taints
      : [...taints, keepOff];
  if (wanted.length === taints.length) {
    return undefined;
  }
  const own = taints.filter((taint) => !isCondition(taint));
  return changed(node, wanted, JSON.stringify(own));
}

/** A node as it was before a run; undefined if none has changed it. Taints that Kubernetes has set since stay. */
export function restoredNode(node: V1Node): V1Node | undefined {
  const record = node.metadata?.annotations?.[recordAnnotation];
  if (record === undefined) {
    return undefined;
  }
  const conditions = (node.spec?.taints ?? []).filter(isCondition);
  return changed(node, [...(JSON.parse(record) as V1Taint[]), ...conditions], undefined);
}

function changed(node: V1Node, taints: readonly V1Taint[], record: string | undefined): V1Node {
  const others = Object.fromEntries(
    Object.entries(node.metadata?.annotations ?? {}).filter(([key]) => key !== recordAnnotation),
  );
  return {
    ...node,
    metadata: {
      ...node.metadata,
      annotations: record === undefined ? others : { ...others, [recordAnnotation]: record },
    },
    spec: { ...node.spec, taints: [...taints] },
  };
}
