import {
  type ApiConstructor,
  type ApiType,
  CoreV1Api,
  PatchStrategy,
  RbacAuthorizationV1Api,
  setHeaderOptions,
  type V1ClusterRole,
  type V1ClusterRoleBinding,
} from "@kubernetes/client-node";
import { windowsAccess } from "../../components/cni/flannel/flannel.ts";
import type { FlannelBackend } from "../../components/cni/flannel/flannel-config.ts";
import { flannelHnsNetwork } from "../../components/cni/flannel/flannel-config.ts";
import { accessObjects } from "../../components/cni/windows-access.ts";
import type { TestCluster } from "./test-cluster.ts";
import { nodeAddress } from "./test-programs.ts";
import { addExternalNetwork, joinNode } from "./windows-node.ts";
import type { WineMachine } from "./wine-machine.ts";

export const ranges = {
  podCidr: "10.244.0.0/16",
  serviceCidr: "10.96.0.0/16",
  nodeCidr: "192.168.250.0/24",
};

/** The address of the cluster's DNS server, as kubeadm derives it from the Services' range. */
export const dnsServer = "10.96.0.10";

/** The Windows node's part of the pods' range, and that of a Linux node whose flanneld has written these annotations. */
export const ownPods = "10.244.1.0/24";
export const linuxNode = {
  name: "worker-1",
  pods: "10.244.2.0/24",
  address: "192.168.250.12",
  mac: "66:01:02:03:04:05",
};

/** A Linux node that only exists by name. */
export async function makeNode(
  core: CoreV1Api,
  name: string,
  address: string,
  annotations: Readonly<Record<string, string>>,
): Promise<void> {
  const labels = { "kubernetes.io/os": "linux" };
  await core.createNode({ body: { metadata: { name, annotations, labels } } });
  await core.patchNodeStatus(
    { name, body: { status: { addresses: [{ type: "InternalIP", address }] } } },
    setHeaderOptions("Content-Type", PatchStrategy.StrategicMergePatch),
  );
}

/** A Linux node of a cluster with Flannel, by what its flanneld has written. */
export async function makeLinuxNode(
  core: CoreV1Api,
  backend: FlannelBackend,
  { name, pods, address, mac } = linuxNode,
): Promise<void> {
  const data = backend === "vxlan" ? { VNI: 4096, VtepMAC: mac } : null;
  const annotations = {
    "flannel.alpha.coreos.com/backend-type": backend,
    "flannel.alpha.coreos.com/backend-data": JSON.stringify(data),
    "flannel.alpha.coreos.com/public-ip": address,
    "flannel.alpha.coreos.com/kube-subnet-manager": "true",
  };
  await core.createNode({ body: { metadata: { name, annotations }, spec: { podCIDR: pods } } });
}

/** Makes the machine a node with Flannel, by the steps of `up` in their order. */
export async function joinWithFlannel(
  cluster: TestCluster,
  machine: WineMachine,
  backend: FlannelBackend,
): Promise<void> {
  const client = <Api extends ApiType>(api: ApiConstructor<Api>): Api => cluster.makeClient(api);
  const rbac = client(RbacAuthorizationV1Api);
  const { role, binding } = accessObjects(windowsAccess);
  await rbac.createClusterRole({ body: role as V1ClusterRole });
  await rbac.createClusterRoleBinding({ body: binding as V1ClusterRoleBinding });

  await machine.installContainerd();
  await machine.installKubernetes();
  await machine.installFlannel(nodeAddress, { backend, ...ranges });
  await joinNode(cluster, machine);
  // The controllers here give no ranges to nodes.
  await client(CoreV1Api).patchNode(
    { name: machine.windows.computerName, body: { spec: { podCIDR: ownPods } } },
    setHeaderOptions("Content-Type", PatchStrategy.StrategicMergePatch),
  );
  await addExternalNetwork(machine, flannelHnsNetwork(backend));
}
