import type { V1Pod, V1ServiceSpec } from "@kubernetes/client-node";

import { isReady } from "../../host/kubernetes/pod-state.ts";
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
import { isUnderPolicy } from "../rows/policies.ts";
import type { PathRow, Relation } from "../rows/row.ts";
import type { Outside, Readiness } from "./row-tools.ts";
import { fromHosts, withAddress, withText, type Origin, type PlannedProbe } from "./probe.ts";
import type { Os } from "../objects/names.ts";
import { policyCases, policyName } from "../rows/policy-cases.ts";

export interface AwaitedPod {
  readonly role: Role;
  readonly node: string;
  readonly pod?: V1Pod;
}

/** The probes of a row that is ready, or the pods that it waits for. */
type Plan = Readiness<readonly PlannedProbe[], readonly AwaitedPod[]>;

/** Number of requests to a Service or a NodePort, usually enough to reach each of a few servers. */
const serviceRequests = 4;

/** One request to a destination that is not a pod of the run. */
const toNoPod = { requests: 1, targetPods: [] };

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
function podOn(snapshot: Snapshot, role: Role, node: string): V1Pod | undefined {
  return snapshot.pods.find(
    ({ metadata, spec }) =>
      metadata?.labels?.[roleLabel] === roleName(role) &&
      metadata.deletionTimestamp === undefined &&
      // The affinity names the node of a pod that is not scheduled yet.
      (spec?.nodeName ?? wantedNode(spec?.affinity)) === node,
  );
}

function wantedNode(affinity: NonNullable<V1Pod["spec"]>["affinity"]): string | undefined {
  const [term] =
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return term?.matchFields?.find(({ key }) => key === "metadata.name")?.values?.[0];
}

function probesOf(row: PathRow, snapshot: Snapshot, outside: Outside): readonly PlannedProbe[] {
  const { from, target } = row;
  const [originRole] = rolesOf(row);
  /** By node name. */
  const origins = new Map<string, Origin>(
    from.where === "outside" || originRole === undefined
      ? [["", "outside"]]
      : nodesOf(snapshot, from.os).map(({ name: node }) => [
          node,
          { pod: podName(podOn(snapshot, originRole, node)), node, os: from.os },
        ]),
  );
  const serverOn = (node: string): V1Pod | undefined =>
    "os" in target ? podOn(snapshot, { os: target.os, part: serverPart(target) }, node) : undefined;
  const fromEach = (probe: Omit<PlannedProbe, "origin">): readonly PlannedProbe[] =>
    [...origins.values()].map((origin) => ({ origin, ...probe }));
  const toEach = (
    os: Os,
    probe: (node: NodeFact, server: V1Pod | undefined) => Omit<PlannedProbe, "origin">,
    relation?: Relation,
  ): readonly PlannedProbe[] => {
    const nodes = new Map(nodesOf(snapshot, os).map((node) => [node.name, node]));
    return nodePairs([...origins.keys()], [...nodes.keys()], relation).flatMap(([one, other]) => {
      const [origin, node] = [origins.get(one), nodes.get(other)];
      return origin && node ? [{ origin, ...probe(node, serverOn(other)) }] : [];
    });
  };
  switch (target.to) {
    case "pod": {
      const named = target.by === "name";
      const relation = "nodes" in target ? target.nodes : undefined;
      const toPod = (_node: NodeFact, pod: V1Pod | undefined): Omit<PlannedProbe, "origin"> => {
        const address = pod?.status?.podIP ?? "";
        return {
          url: hostnameUrl(
            named ? podDomain(target.os, address, snapshot.clusterDomain) : address,
            serverPort,
          ),
          named,
          ...(named && { service: podsServiceName(target.os) }),
          ...answeredBy([podName(pod)], 1),
        };
      };
      return toEach(target.os, toPod, relation);
    }
    case "host-pod":
      return toEach(target.os, ({ name, address }, pod) => ({
        url: hostnameUrl(address, hostServerPort),
        viaNode: name,
        ...answeredBy([podName(pod)], 1, [name]),
      }));
    case "service":
    case "node-port": {
      const service = serviceName(target.os, target.network);
      const nodes = nodesOf(snapshot, target.os).map(({ name }) => name);
      const pods = nodes.map((node) => podName(serverOn(node)));
      // Any of the Service's servers may answer.
      const names = target.network === "host" ? nodes : pods;
      const answered = answeredBy(pods, serviceRequests, names);
      if (target.to === "node-port") {
        const port = serviceOf(snapshot, service)?.ports?.[0]?.nodePort ?? 0;
        return toEach(target.node, ({ name, address }) => ({
          url: hostnameUrl(address, port),
          service,
          viaNode: name,
          ...answered,
        }));
      }
      const named = target.by === "name";
      // The short name within the namespace, as applications use it.
      const host = named ? service : clusterAddress(snapshot, service);
      return fromEach({ url: hostnameUrl(host, 80), named, service, ...answered });
    }
    case "host-port":
      return toEach(target.os, ({ name, address }, pod) => ({
        url: hostnameUrl(address, hostPort),
        viaNode: name,
        ...answeredBy([podName(pod)], 1),
      }));
    case "policy": {
      const { port, allowed } = policyCases[target.policy];
      const policy = { name: policyName(target.os, target.policy), allows: allowed };
      return toEach(target.os, (_node, pod) => ({
        url: hostnameUrl(pod?.status?.podIP ?? "", port),
        ...(isUnderPolicy(row) && { policy }),
        ...answeredBy([podName(pod)], 1),
      }));
    }
    case "dns": {
      const service = serviceName(target.os);
      return fromEach({
        url: `dns://${snapshot.dnsAddress}/${serviceDomain(service, snapshot.clusterDomain)}`,
        // The DNS server answers, not the Service.
        ...toNoPod,
        check: withAddress(clusterAddress(snapshot, service)),
      });
    }
    case "host": {
      const { url, greeting } = outside.host ?? { url: "", greeting: "" };
      return fromEach({ url, ...toNoPod, check: fromNodeAddress(greeting, snapshot) });
    }
    case "internet": {
      const { url, text } = outside.internet;
      return fromEach({ url, ...toNoPod, named: true, check: withText(text) });
    }
  }
}

function hostnameUrl(host: string, port: number): string {
  return `http://${host}:${port}/hostname`;
}

/**
 * @param names host names that the pods answer with. Default: the pods' names. On the host network, the nodes' names.
 */
function answeredBy(
  pods: readonly string[],
  requests: number,
  names = pods,
): Pick<PlannedProbe, "requests" | "targetPods" | "check"> {
  return { requests, targetPods: pods, check: fromHosts(names, requests) };
}

/** Packets that leave the cluster must have a node's address, because there is no route back to pods. */
function fromNodeAddress(greeting: string, { nodes }: Snapshot): PlannedProbe["check"] {
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
  return serviceOf(snapshot, service)?.clusterIP ?? "";
}

function serviceOf({ services }: Snapshot, name: string): V1ServiceSpec | undefined {
  return services.find(({ metadata }) => metadata?.name === name)?.spec;
}

type NodePair = readonly [from: string, to: string];

/**
 * Pairs of nodes in which each node is at least once the first and at least once the second. So the number of
 * connections is the number of nodes, not its square.
 *
 * @param relation `same`: each pair is one node; `other`: each pair is two nodes. Default: two nodes if possible.
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
    // If both lists are the same nodes, the next node of the ring.
    const own = to.indexOf(first);
    const second = to[(own < 0 ? index : own + 1) % to.length] ?? "";
    return [first, second];
  });
  return relation === "other" ? pairs.filter(([one, other]) => one !== other) : pairs;
}
