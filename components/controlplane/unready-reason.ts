import type { V1Node } from "@kubernetes/client-node";

/** Why a node is not Ready, by its own status; undefined if it is. */
export function unreadyReason(node: V1Node): string | undefined {
  const condition = node.status?.conditions?.find((each) => each.type === "Ready");
  if (condition === undefined) return "registered, has not reported its state yet";
  if (condition.status === "True") return undefined;
  const details = [condition.reason, condition.message].filter(Boolean).join(": ");
  return `Ready=${condition.status}${details === "" ? "" : ` (${details})`}`;
}
