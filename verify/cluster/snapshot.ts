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

import type { ClusterApi } from "../../host/kubernetes/cluster-api.ts";
import { readEndpointSlices } from "../../host/kubernetes/endpoint-slices.ts";
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
  /** The domain that it answers for. */
  readonly clusterDomain: string;
}

/** The cluster's state at one moment, for explaining a failure. */
export interface Details extends Snapshot {
  readonly events: readonly CoreV1Event[];
  readonly policies: readonly V1NetworkPolicy[];
  readonly dnsSlices: readonly V1EndpointSlice[];
  /** Pods of kube-system: DNS, kube-proxy. */
  readonly systemPods: readonly V1Pod[];
}

const ours = `/api/v1/namespaces/${namespace}`;

export async function readNodes(api: ClusterApi): Promise<readonly NodeFact[]> {
  return (await api.get<V1NodeList>("/api/v1/nodes")).items.map(nodeFact);
}

/** Of the cluster's DNS, whose Service has another name in some clusters. */
const dnsLabel = "k8s-app=kube-dns";

export async function readSnapshot(api: ClusterApi, clusterDomain: string): Promise<Snapshot> {
  const dnsService = `labelSelector=${encodeURIComponent(dnsLabel)}`;
  const [nodes, pods, services, slices, dns] = await Promise.all([
    readNodes(api),
    list<V1PodList>(api, `${ours}/pods`),
    list<V1ServiceList>(api, `${ours}/services`),
    readEndpointSlices(api, namespace),
    list<V1ServiceList>(api, `/api/v1/namespaces/kube-system/services?${dnsService}`),
  ]);
  return {
    nodes,
    pods,
    services,
    slices,
    dnsAddress: dns[0]?.spec?.clusterIP ?? "",
    clusterDomain,
  };
}

export async function readDetails(api: ClusterApi, clusterDomain: string): Promise<Details> {
  const policiesPath = `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies`;
  const [snapshot, events, policies, dnsSlices, systemPods] = await Promise.all([
    readSnapshot(api, clusterDomain),
    list<CoreV1EventList>(api, `${ours}/events`),
    list<V1NetworkPolicyList>(api, policiesPath),
    readEndpointSlices(api, "kube-system", dnsLabel),
    list<V1PodList>(api, "/api/v1/namespaces/kube-system/pods"),
  ]);
  return { ...snapshot, events, policies, dnsSlices, systemPods };
}

async function list<L extends { items: readonly unknown[] }>(
  api: ClusterApi,
  path: string,
): Promise<L["items"]> {
  return (await api.get<L>(path)).items;
}
