import { readFileSync } from "node:fs";
import {
  CoreV1Api,
  DiscoveryV1Api,
  RbacAuthorizationV1Api,
  type V1ConfigMap,
  type V1Pod,
} from "@kubernetes/client-node";

import type { HnsNetwork } from "../../components/cni/pod-network.ts";
import {
  kubeProxyImage,
  kubeProxyName,
  kubeProxyObjects,
} from "../../components/kubeproxy/kube-proxy-objects.ts";
import { kubernetesVersion } from "../../toolchain/tools/table.ts";
import type { TestCluster } from "./test-cluster.ts";

/** Makes the shipped DaemonSet's pod on the node, for no scheduler runs here, and kube-proxy's account, as kubeadm does. */
export async function makeKubeProxyPod(cluster: TestCluster, network: HnsNetwork): Promise<void> {
  const { namespace } = kubeProxyName;
  const core = cluster.makeClient(CoreV1Api);
  const name = "kube-proxy";
  await core.createNamespacedServiceAccount({ namespace, body: { metadata: { name } } });
  const apiGroup = "rbac.authorization.k8s.io";
  await cluster.makeClient(RbacAuthorizationV1Api).createClusterRoleBinding({
    body: {
      metadata: { name },
      roleRef: { apiGroup, kind: "ClusterRole", name: "system:node-proxier" },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    },
  });
  const objects = kubeProxyObjects({
    image: kubeProxyImage(kubernetesVersion),
    script: readFileSync("components/kubeproxy/start.ps1", "utf8"),
    network,
    server: `https://${cluster.endpoint}`,
  });
  const { spec } = objects.DaemonSet as { spec: { template: Required<Pick<V1Pod, "spec">> } };
  await core.createNamespacedConfigMap({ namespace, body: objects.ConfigMap as V1ConfigMap });
  const body = {
    metadata: { name: kubeProxyName.name },
    spec: { ...spec.template.spec, nodeName: "win-1" },
  };
  await core.createNamespacedPod({ namespace, body });
}

/** Makes a Service with an endpoint on each node, by the nodes' names. */
export async function makeService(
  cluster: TestCluster,
  name: string,
  clusterIP: string,
  addresses: Readonly<Record<string, string>>,
): Promise<void> {
  const namespace = "default";
  const ports = [{ port: 80, targetPort: 8080, protocol: "TCP" }];
  await cluster.makeClient(CoreV1Api).createNamespacedService({
    namespace,
    body: { metadata: { name }, spec: { clusterIP, ports } },
  });
  await makeEndpoints(cluster, { name, namespace }, { protocol: "TCP", port: 8080 }, addresses);
}

/** Makes the endpoints of a Service, on each node, by the nodes' names. */
export async function makeEndpoints(
  cluster: TestCluster,
  { name, namespace }: { readonly name: string; readonly namespace: string },
  port: { readonly protocol: "TCP" | "UDP"; readonly port: number },
  addresses: Readonly<Record<string, string>>,
): Promise<void> {
  await cluster.makeClient(DiscoveryV1Api).createNamespacedEndpointSlice({
    namespace,
    body: {
      metadata: { name: `${name}-1`, labels: { "kubernetes.io/service-name": name } },
      addressType: "IPv4",
      endpoints: Object.entries(addresses).map(([nodeName, address]) => ({
        ...{ addresses: [address], conditions: { ready: true }, nodeName },
      })),
      ports: [{ name: "", ...port }],
    },
  });
}
