import type { V1Node, V1NodeList, V1Taint } from "@kubernetes/client-node";
import { changeNode } from "../../kubernetes/change-node.ts";
import type { ClusterApi } from "../../kubernetes/cluster-api.ts";

/** Taints Linux nodes against the tests' pods, and removes taints from Windows nodes, until `restoreNodes`. */
export function prepareNodes(api: ClusterApi): Promise<readonly string[]> {
  // First undo what a killed run has left, from its record of the original taints.
  return restoreNodes(api).then(() => changeNodes(api, preparedNode));
}

/** Restores the nodes' taints. @returns names of those that were changed */
export function restoreNodes(api: ClusterApi): Promise<readonly string[]> {
  return changeNodes(api, restoredNode);
}

async function changeNodes(
  api: ClusterApi,
  change: (node: V1Node) => V1Node | undefined,
): Promise<readonly string[]> {
  const { items } = await api.get<V1NodeList>("/api/v1/nodes");
  const names = items.map(({ metadata }) => metadata?.name ?? "");
  const done = await Promise.all(names.map((name) => changeNode(api, name, change)));
  return names.filter((_name, index) => done[index]);
}

/** The original taints of a node that a run has changed, as JSON; there only while it lasts. */
export const recordAnnotation = "kindows.dev/conformance-taints";

/** What the tests take for a Linux node that is none of theirs, by their flag --non-blocking-taints' default. */
const keepOff: V1Taint = { key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" };

/** Taints by which Kubernetes itself says how a node is. */
function isCondition({ key }: V1Taint): boolean {
  return key.startsWith("node.kubernetes.io/");
}

function keepsPodsOff({ effect }: V1Taint): boolean {
  return effect === "NoSchedule" || effect === "NoExecute";
}

/**
 * A node as the tests need it; undefined where it is so already.
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
  if (wanted.length === taints.length) return undefined;
  const own = taints.filter((taint) => !isCondition(taint));
  return changed(node, wanted, JSON.stringify(own));
}

/** A node as it was before a run; undefined where none has changed it. What Kubernetes says of it since stays. */
export function restoredNode(node: V1Node): V1Node | undefined {
  const record = node.metadata?.annotations?.[recordAnnotation];
  if (record === undefined) return undefined;
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
