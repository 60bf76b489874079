import type { V1Node } from "@kubernetes/client-node";

/** What a node that is not Ready says of itself; undefined when it is. */
export function unreadyReason(node: V1Node): string | undefined {
  const condition = node.status?.conditions?.find((each) => each.type === "Ready");
  if (condition === undefined) return "registered, has not reported its state yet";
  if (condition.status === "True") return undefined;
  const details = [condition.reason, condition.message].filter(Boolean).join(": ");
  return `Ready=${condition.status}${details === "" ? "" : ` (${details})`}`;
}
