import type { V1Node, V1NodeList } from "@kubernetes/client-node";
import { contains, parseRange, addressNumber } from "../../../config/ipv4.ts";
import { found, type ClusterAnswers } from "./cluster-answers.ts";
import type { ClusterProblem } from "./cluster-problem.ts";
import type { Ranges } from "./check-cluster.ts";

/** A machine that is to become a node. */
export interface WantedNode {
  readonly name: string;
  /** IPv4 address that it registers with. */
  readonly nodeIp: string;
}

/**
 * Whether machines fit in with the nodes that are there: a node of the same name may be the machine's own, of an earlier
 * run, where it has the same address and runs Windows.
 *
 * @param ranges of the cluster; undefined where they are not known.
 */
export function checkNodes(
  answers: ClusterAnswers,
  wanted: readonly WantedNode[],
  ranges: Ranges | undefined,
): ClusterProblem[] {
  const nodes = found<V1NodeList>(answers, "nodes")?.items ?? [];
  return wanted.flatMap((one) => [
    ...sameName(one, nodes),
    ...sameAddress(one, nodes),
    ...(ranges === undefined ? [] : inRange(one, ranges)),
  ]);
}

function sameName({ name }: WantedNode, nodes: readonly V1Node[]): ClusterProblem[] {
  const node = nodes.find(({ metadata }) => metadata?.name === name.toLowerCase());
  const system = node?.metadata?.labels?.["kubernetes.io/os"];
  return system === undefined || system === "windows"
    ? []
    : [
        {
          subject: `kindows:nodes: "${name}"`,
          why: `is the name of a node with ${system} in the cluster, which joining would take over`,
          instead: `Give the machine another name (Rename-Computer NEW -Restart) and write that, or delete that node first.`,
        },
      ];
}

function sameAddress({ name, nodeIp }: WantedNode, nodes: readonly V1Node[]): ClusterProblem[] {
  const other = nodes.find(
    ({ metadata, status }) =>
      metadata?.name !== name.toLowerCase() &&
      (status?.addresses ?? []).some(
        ({ type, address }) => type === "InternalIP" && address === nodeIp,
      ),
  );
  return other === undefined
    ? []
    : [
        {
          subject: `kindows:nodes: the address ${nodeIp} of "${name}"`,
          why: `is that of the node ${other.metadata?.name ?? ""} in the cluster too`,
          instead: `Write the machine's own as address or nodeIp; where it is the same machine under another name, delete that node first (kubectl delete node ${other.metadata?.name ?? ""}).`,
        },
      ];
}

/** Packets to such an address would be taken for a pod's or a service's. */
function inRange({ name, nodeIp }: WantedNode, ranges: Ranges): ClusterProblem[] {
  const number = addressNumber(nodeIp) ?? -1;
  const of = { pods: ranges.podCidr, services: ranges.serviceCidr };
  return Object.entries(of).flatMap(([whose, cidr]) => {
    const range = parseRange(cidr);
    return range !== undefined && contains(range, number)
      ? [
          {
            subject: `kindows:nodes: the address ${nodeIp} of "${name}"`,
            why: `is in ${cidr}, from which the cluster's ${whose} have theirs`,
            instead: "Give the machine an address of another network, and write that.",
          },
        ]
      : [];
  });
}
