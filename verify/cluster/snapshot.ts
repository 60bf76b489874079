import type {
  CoreV1Event,
  CoreV1EventList,
  V1EndpointSlice,
  V1NetworkPolicy,
  V1NetworkPolicyList,
  V1NodeList,
  V1Pod,
  V1PodList,
  V1Service,
  V1ServiceList,
} from "@kubernetes/client-node";

import type { ClusterApi } from "../../kubernetes/cluster-api.ts";
import { readEndpointSlices } from "../../components/controlplane/actions/endpoint-slices.ts";
import { namespace } from "../objects/names.ts";
import { nodeFact, type NodeFact } from "./facts.ts";

/** The cluster's state at one moment, for deciding about rows. */
export interface Snapshot {
  readonly nodes: readonly NodeFact[];
  /** In the run's namespace, like everything below. */
  readonly pods: readonly V1Pod[];
  readonly services: readonly V1Service[];
  readonly slices: readonly V1EndpointSlice[];
  /** Address of the cluster's DNS server; empty if there is none. */
  readonly dnsAddress: string;
}

/** The cluster's state at one moment, for explaining a failure. */
export interface Details extends Snapshot {
  readonly events: readonly CoreV1Event[];
  readonly policies: readonly V1NetworkPolicy[];
  /** Endpoints of the cluster's DNS server. */
  readonly dnsSlices: readonly V1EndpointSlice[];
  /** Pods of kube-system: DNS, kube-proxy. */
  readonly systemPods: readonly V1Pod[];
}

const ours = `/api/v1/namespaces/${namespace}`;

export async function readNodes(api: ClusterApi): Promise<readonly NodeFact[]> {
  return (await api.get<V1NodeList>("/api/v1/nodes")).items.map(nodeFact);
}

export async function readSnapshot(api: ClusterApi): Promise<Snapshot> {
  const [nodes, pods, services, slices, dns] = await Promise.all([
    readNodes(api),
    api.get<V1PodList>(`${ours}/pods`),
    api.get<V1ServiceList>(`${ours}/services`),
    readEndpointSlices(api, namespace),
    api.get<V1ServiceList>(
      `/api/v1/namespaces/kube-system/services?labelSelector=${encodeURIComponent("k8s-app=kube-dns")}`,
    ),
  ]);
  return {
    nodes,
    pods: pods.items,
    services: services.items,
    slices,
    dnsAddress: dns.items[0]?.spec?.clusterIP ?? "",
  };
}

export async function readDetails(api: ClusterApi): Promise<Details> {
  const [snapshot, events, policies, dns, system] = await Promise.all([
    readSnapshot(api),
    api.get<CoreV1EventList>(`${ours}/events`),
    api.get<V1NetworkPolicyList>(
      `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies`,
    ),
    readEndpointSlices(api, "kube-system", "kubernetes.io/service-name=kube-dns"),
    api.get<V1PodList>("/api/v1/namespaces/kube-system/pods"),
  ]);
  return {
    ...snapshot,
    events: events.items,
    policies: policies.items,
    dnsSlices: dns,
    systemPods: system.items,
  };
}
