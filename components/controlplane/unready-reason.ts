import type { V1Node } from "@kubernetes/client-node";

/** What an await of a node prints as JSON. */
export interface NodeFacts {
  readonly name: string;
  /** Internal IPv4 addresses, in the node's own order. */
  readonly addresses: readonly string[];
  /** Without a leading `v`, e.g. `1.36.4`. */
  readonly kubeletVersion: string;
  /** E.g. `Windows Server 2022 Datacenter`. */
  readonly osImage: string;
  readonly containerRuntime: string;
  /** Label `node.kubernetes.io/windows-build`, e.g. `10.0.20348`; only on Windows nodes. */
  readonly windowsBuild?: string;
}

/** What a node that is not Ready says of itself; undefined when it is. */
export function unreadyReason(node: V1Node): string | undefined {
  const condition = node.status?.conditions?.find((each) => each.type === "Ready");
  if (condition === undefined) return "registered, has not reported its state yet";
  if (condition.status === "True") return undefined;
  const details = [condition.reason, condition.message].filter(Boolean).join(": ");
  return `Ready=${condition.status}${details === "" ? "" : ` (${details})`}`;
}

/** @throws when the node has not reported its system yet: it is not Ready then either. */
export function nodeFacts(node: V1Node): NodeFacts {
  const info = node.status?.nodeInfo;
  const name = node.metadata?.name;
  if (info === undefined || name === undefined) {
    throw new Error("the node has not reported its system yet");
  }
  const windowsBuild = node.metadata?.labels?.["node.kubernetes.io/windows-build"];
  return {
    name,
    addresses: (node.status?.addresses ?? [])
      .filter((each) => each.type === "InternalIP")
      .map((each) => each.address),
    kubeletVersion: info.kubeletVersion.replace(/^v/, ""),
    osImage: info.osImage,
    containerRuntime: info.containerRuntimeVersion,
    ...(windowsBuild !== undefined && { windowsBuild }),
  };
}
