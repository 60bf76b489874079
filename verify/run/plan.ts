import type { V1Pod } from "@kubernetes/client-node";

import { isReady } from "../../kubernetes/pod-state.ts";
import { nodesOf, type NodeFact } from "../cluster/facts.ts";
import type { Snapshot } from "../cluster/snapshot.ts";
import {
  hostPort,
  hostServerPort,
  podDomain,
  podsServiceName,
  roleLabel,
  roleName,
  serverPort,
  serviceDomain,
  serviceName,
  type Role,
} from "../objects/names.ts";
import { rolesOf, serverPart } from "../objects/roles.ts";
import { isUnderPolicy, policyCases, policyName } from "../rows/policies.ts";
import type { Os, PathRow, Relation } from "../rows/row.ts";
import type { Readiness } from "./row-tools.ts";
import {
  fromNodes,
  fromPods,
  lookupUrl,
  withAddress,
  withText,
  type Origin,
  type Outside,
  type Probe,
} from "./probe.ts";

/** A pod that a row waits for. */
export interface AwaitedPod {
  readonly role: Role;
  readonly node: string;
  /** The pod, if it exists. */
  readonly pod?: V1Pod;
}

/** What can be done about a row now: its probes, or the pods they wait for. */
export type Plan = Readiness<readonly Probe[], readonly AwaitedPod[]>;

/** Requests to a Service or a NodePort: usually enough to reach each of a few servers. */
const serviceRequests = 4;

/** One request to something that is no pod of the run. */
const toNoPod = { requests: 1, targetPods: [] };

/** Probes of a row, as soon as every pod of it is Ready. */
export function planRow(row: PathRow, snapshot: Snapshot, outside: Outside): Plan {
  const awaited = rolesOf(row).flatMap((role) =>
    nodesOf(snapshot, role.os).map(({ name }): AwaitedPod => {
      const pod = podOn(snapshot, role, name);
      return { role, node: name, ...(pod && { pod }) };
    }),
  );
  const missing = awaited.filter(({ pod }) => !(pod && isReady(pod) && pod.status?.podIP));
  return missing.length > 0 ? { awaited: missing } : { ready: probesOf(row, snapshot, outside) };
}

/** A role's pod on a node; one that is being deleted does not count. */
export function podOn(snapshot: Snapshot, role: Role, node: string): V1Pod | undefined {
  return snapshot.pods.find(
    ({ metadata, spec }) =>
      metadata?.labels?.[roleLabel] === roleName(role) &&
      metadata.deletionTimestamp === undefined &&
      // A pod that is not scheduled yet is known by the node its DaemonSet wants.
      (spec?.nodeName ?? wantedNode(spec?.affinity)) === node,
  );
}

function wantedNode(affinity: NonNullable<V1Pod["spec"]>["affinity"]): string | undefined {
  const [term] =
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return term?.matchFields?.find(({ key }) => key === "metadata.name")?.values?.[0];
}

function probesOf(row: PathRow, snapshot: Snapshot, outside: Outside): readonly Probe[] {
  const { from, target } = row;
  const names = (os: Os): string[] => nodesOf(snapshot, os).map(({ name }) => name);
  const sources = from.where === "outside" ? [""] : names(from.os);
  const [originRole] = rolesOf(row);
  const origin = (node: string): Origin =>
    from.where === "outside" || originRole === undefined
      ? "outside"
      : { pod: podName(podOn(snapshot, originRole, node)), node, os: from.os };
  const pairs = (os: Os, relation?: Relation): readonly (readonly [string, NodeFact])[] =>
    nodePairs(sources, names(os), relation).flatMap(([one, other]) =>
      nodesOf(snapshot, os)
        .filter(({ name }) => name === other)
        .map((node) => [one, node] as const),
    );
  const serverOn = (node: string): V1Pod | undefined =>
    "os" in target ? podOn(snapshot, { os: target.os, part: serverPart(target) }, node) : undefined;
  // Of any of a Service's servers.
  const byServers = (): Answered => {
    const nodes = "os" in target ? names(target.os) : [];
    const pods = nodes.map((node) => podName(serverOn(node)));
    return "network" in target && target.network === "host"
      ? answeredOn(nodes, pods, serviceRequests)
      : answeredBy(pods, serviceRequests);
  };
  switch (target.to) {
    case "pod":
      return pairs(target.os, "nodes" in target ? target.nodes : undefined).map(([one, node]) => {
        const pod = serverOn(node.name);
        const address = pod?.status?.podIP ?? "";
        const named = target.by === "name";
        return {
          origin: origin(one),
          url: hostnameUrl(named ? podDomain(target.os, address) : address, serverPort),
          named,
          ...(named && { service: podsServiceName(target.os) }),
          ...answeredBy([podName(pod)], 1),
        };
      });
    case "host-pod":
      return pairs(target.os).map(([one, node]) => ({
        origin: origin(one),
        url: hostnameUrl(node.address, hostServerPort),
        viaNode: node.name,
        ...answeredOn([node.name], [podName(serverOn(node.name))], 1),
      }));
    case "service":
      return sources.map((one) => {
        const service = serviceName(target.os, target.network);
        const named = target.by === "name";
        // As applications do it: the short name, within the namespace.
        const host = named ? service : clusterAddress(snapshot, service);
        return { origin: origin(one), url: hostnameUrl(host, 80), named, service, ...byServers() };
      });
    case "node-port":
      return pairs(target.node).map(([one, node]) => {
        const service = serviceName(target.os, target.network);
        return {
          origin: origin(one),
          url: hostnameUrl(node.address, nodePort(snapshot, service)),
          service,
          viaNode: node.name,
          ...byServers(),
        };
      });
    case "host-port":
      return pairs(target.os).map(([one, node]) => ({
        origin: origin(one),
        url: hostnameUrl(node.address, hostPort),
        viaNode: node.name,
        ...answeredBy([podName(serverOn(node.name))], 1),
      }));
    case "policy":
      return pairs(target.os).map(([one, node]) => {
        const { port, allowed } = policyCases[target.policy];
        const pod = serverOn(node.name);
        return {
          origin: origin(one),
          url: hostnameUrl(pod?.status?.podIP ?? "", port),
          ...(isUnderPolicy(row) && {
            policy: { name: policyName(target.os, target.policy), allows: allowed },
          }),
          ...answeredBy([podName(pod)], 1),
        };
      });
    case "dns":
      return sources.map((one) => {
        const service = serviceName(target.os);
        return {
          origin: origin(one),
          url: lookupUrl(snapshot.dnsAddress, serviceDomain(service)),
          // The answer comes from the server itself, not from the Service.
          ...toNoPod,
          check: withAddress(clusterAddress(snapshot, service)),
        };
      });
    case "host":
      return sources.map((one) => ({
        origin: origin(one),
        url: outside.host?.url ?? "",
        ...toNoPod,
        check: fromNodeAddress(outside.host?.greeting ?? "", snapshot),
      }));
    case "internet":
      return sources.map((one) => ({
        origin: origin(one),
        url: outside.internet.url,
        ...toNoPod,
        named: true,
        check: withText(outside.internet.text),
      }));
  }
}

function hostnameUrl(host: string, port: number): string {
  return `http://${host}:${port}/hostname`;
}

type Answered = Pick<Probe, "requests" | "targetPods" | "check">;

function answeredBy(names: readonly string[], requests: number): Answered {
  return { requests, targetPods: names, check: fromPods(names, requests) };
}

/** On the host network a server has the node's name. */
function answeredOn(nodes: readonly string[], pods: readonly string[], requests: number): Answered {
  return { requests, targetPods: pods, check: fromNodes(nodes, requests) };
}

/** Packets that leave the cluster have a node's address, as there is no route back to pods. */
function fromNodeAddress(greeting: string, { nodes }: Snapshot): Probe["check"] {
  return (answer) => {
    const address = answer.startsWith(greeting) ? answer.slice(greeting.length).trim() : undefined;
    if (address === undefined) return withText(greeting)(answer);
    return nodes.some((node) => node.address === address)
      ? undefined
      : `the request came from ${address}, which is no node's address: it was not masqueraded`;
  };
}

function podName(pod: V1Pod | undefined): string {
  return pod?.metadata?.name ?? "";
}

function clusterAddress(snapshot: Snapshot, service: string): string {
  return serviceOf(snapshot, service)?.spec?.clusterIP ?? "";
}

function nodePort(snapshot: Snapshot, service: string): number {
  return serviceOf(snapshot, service)?.spec?.ports?.[0]?.nodePort ?? 0;
}

function serviceOf(snapshot: Snapshot, name: string): Snapshot["services"][number] | undefined {
  return snapshot.services.find(({ metadata }) => metadata?.name === name);
}

/** A node where a connection begins, and one where it ends. */
type NodePair = readonly [from: string, to: string];

/**
 * Pairs of nodes in which each node is the first at least once, and the second at least once: as many connections as
 * there are nodes, not its square.
 *
 * @param relation `same`: both are one node; `other`: they are two; otherwise two where there are two.
 */
export function nodePairs(
  from: readonly string[],
  to: readonly string[],
  relation?: Relation,
): readonly NodePair[] {
  if (relation === "same") {
    return from.filter((name) => to.includes(name)).map((name) => [name, name]);
  }
  const count = to.length === 0 ? 0 : Math.max(from.length, to.length);
  const pairs = Array.from({ length: count }, (_, index): NodePair => {
    const first = from[index % from.length] ?? "";
    // The next one in the ring, where both lists are the same nodes.
    const own = to.indexOf(first);
    const second = to[(own < 0 ? index : own + 1) % to.length] ?? "";
    return [first, second];
  });
  return relation === "other" ? pairs.filter(([one, other]) => one !== other) : pairs;
}
