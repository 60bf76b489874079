import type { V1Node, V1NodeList, V1Taint } from "@kubernetes/client-node";
import * as z from "zod";
import { checkedJson } from "../../toolchain/parse-json.ts";
import { changeNode } from "../../host/kubernetes/change-node.ts";
import type { ClusterApi } from "../../host/kubernetes/cluster-api.ts";

/**
 * Taints Linux nodes so that the tests' pods avoid them, and removes taints from Windows nodes, until `restoreNodes`.
 *
 * @returns names of the nodes that were changed
 */
export function prepareNodes(api: ClusterApi): Promise<readonly string[]> {
  // First restores the original taints that a killed run has recorded.
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

/** Annotation with the original taints of a changed node, as JSON, which exists only during a run. */
const recordAnnotation = "kindows.dev/conformance-taints";

/** A taint by which the tests ignore a node: it is in the default of their flag --non-blocking-taints. */
const keepOff: V1Taint = { key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" };

/** Whether Kubernetes itself sets the taint, to show the condition of a node. */
function isCondition({ key }: V1Taint): boolean {
  return key.startsWith("node.kubernetes.io/");
}

function keepsPodsOff({ effect }: V1Taint): boolean {
  return effect === "NoSchedule" || effect === "NoExecute";
}

/**
 * A node as the tests need it; undefined if no change is needed.
 *
 * Most tests do not select nodes for their pods. So Linux nodes get a taint, which the tests that need Linux tolerate,
 * and Windows nodes lose theirs. windows-operational-readiness requires an admission webhook instead, which adds a node
 * selector to every pod of the cluster, including those on Linux.
 */
function preparedNode(node: V1Node): V1Node | undefined {
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

const taintsSchema = z.array(z.looseObject({ key: z.string(), effect: z.string() }));

/** A node as it was before a run, but with the current condition taints; undefined if no run has changed it. */
function restoredNode(node: V1Node): V1Node | undefined {
  const record = node.metadata?.annotations?.[recordAnnotation];
  if (record === undefined) return undefined;
  const conditions = (node.spec?.taints ?? []).filter(isCondition);
  const taints = checkedJson(
    record,
    taintsSchema,
    `the annotation ${recordAnnotation} of ${node.metadata?.name ?? "a node"}`,
    "remove it, and set the node's taints by hand",
  );
  return changed(node, [...taints, ...conditions], undefined);
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
