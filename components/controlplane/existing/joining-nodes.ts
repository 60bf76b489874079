import type { V1Node } from "@kubernetes/client-node";
import { addressNumber, contains, parseRange } from "../../../config/ipv4.ts";
import { type ClusterAnswers, foundItems } from "./cluster-answers.ts";
import type { Findings } from "./findings.ts";

export interface JoiningNode {
  readonly name: string;
  readonly nodeIp: string;
}

/**
 * Reports machines whose names or addresses conflict with existing nodes, or whose addresses are in the ranges of pods
 * or services. An existing Windows node of the same name is the machine's own from an earlier run.
 */
export function checkNodes(
  answers: ClusterAnswers,
  wanted: readonly JoiningNode[],
  ranges: Readonly<Record<"pods" | "services", readonly string[]>>,
  findings: Findings,
): void {
  const nodes = foundItems<V1Node>(answers, "nodes");
  for (const { name, nodeIp } of wanted) {
    const isNamed = ({ metadata }: (typeof nodes)[number]): boolean =>
      metadata?.name === name.toLowerCase();
    const system = nodes.find(isNamed)?.metadata?.labels?.["kubernetes.io/os"] ?? "windows";
    if (system !== "windows") {
      findings.report(
        `kindows:nodes: "${name}"`,
        `is the name of a ${system} node in the cluster, which joining would replace`,
        `Give the machine another name (Rename-Computer NEW -Restart) and write that, or delete that node first.`,
      );
    }
    const subject = `kindows:nodes: the address ${nodeIp} of "${name}"`;
    const other = nodes.find(
      (node) =>
        !isNamed(node) &&
        (node.status?.addresses ?? []).some(
          ({ type, address }) => type === "InternalIP" && address === nodeIp,
        ),
    )?.metadata?.name;
    if (other !== undefined) {
      findings.report(
        subject,
        `is also the address of the node ${other} in the cluster`,
        `Write the machine's own as address or nodeIp; if it is the same machine under another name, delete that node first (kubectl delete node ${other}).`,
      );
    }
    // Packets to an address in these ranges would be routed as if it were a pod's or a service's.
    const all = Object.entries(ranges).flatMap(([whose, cidrs]) =>
      cidrs.map((cidr) => [whose, cidr] as const),
    );
    for (const [whose, cidr] of all) {
      const range = parseRange(cidr);
      if (range !== undefined && contains(range, addressNumber(nodeIp) ?? -1)) {
        findings.report(
          subject,
          `is in ${cidr}, the range of the cluster's ${whose}`,
          "Give the machine an address of another network, and write that.",
        );
      }
    }
  }
}
