import type { V1Node } from "@kubernetes/client-node";

/** On a node that is closed to new pods for an upgrade: says that whoever ends the upgrade may open it again. */
const annotation = "kindows.dev/cordoned-for";
const reason = "upgrade";

/**
 * The node closed to new pods for an upgrade; undefined when it is closed already, by an earlier run or by somebody
 * whose cordon is none of ours.
 */
export function cordonedForUpgrade(node: V1Node): V1Node | undefined {
  if (node.spec?.unschedulable === true) {
    return undefined;
  }
  const annotations = { ...node.metadata?.annotations, [annotation]: reason };
  return {
    ...node,
    metadata: { ...node.metadata, annotations },
    spec: { ...node.spec, unschedulable: true },
  };
}

/** Whether an upgrade has closed it. */
export function isCordonedForUpgrade(node: V1Node): boolean {
  return node.metadata?.annotations?.[annotation] === reason;
}

/** The node open to pods again; undefined unless an upgrade has closed it. */
export function uncordonedAfterUpgrade(node: V1Node): V1Node | undefined {
  const { [annotation]: closedFor, ...annotations } = node.metadata?.annotations ?? {};
  if (closedFor !== reason) {
    return undefined;
  }
  const spec = { ...node.spec };
  delete spec.unschedulable;
  return { ...node, metadata: { ...node.metadata, annotations }, spec };
}
