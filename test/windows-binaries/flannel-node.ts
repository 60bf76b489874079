import {
  type ApiConstructor,
  type ApiType,
  CoreV1Api,
  PatchStrategy,
  RbacAuthorizationV1Api,
  setHeaderOptions,
  type V1ClusterRole,
  type V1ClusterRoleBinding,
  type V1Node,
} from "@kubernetes/client-node";
import { windowsAccess } from "../../components/cni/flannel/flannel.ts";
import type { FlannelBackend } from "../../components/cni/flannel/flannel-config.ts";
import { flannelHnsNetwork } from "../../components/cni/flannel/flannel-config.ts";
import { accessObjects } from "../../components/cni/windows-access.ts";
import { assertDone, runStep } from "../unit/rehearsal/machine/step-runner.ts";
import { type TestCluster, waitFor } from "./test-cluster.ts";
import { clusterAddress, clusterName, nodeAddress } from "./test-programs.ts";
import type { WineMachine } from "./wine-machine.ts";

export const ranges = {
  podCidr: "10.244.0.0/16",
  serviceCidr: "10.96.0.0/16",
  nodeCidr: "192.168.250.0/24",
};

/** The Windows node's part of the pods' range, and that of a Linux node whose flanneld has written these annotations. */
export const ownPods = "10.244.1.0/24";
export const linuxNode = {
  name: "worker-1",
  pods: "10.244.2.0/24",
  address: "192.168.250.12",
  mac: "66:01:02:03:04:05",
};

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
  const isOwn = ({ metadata }: V1Node): boolean => metadata?.name === machine.windows.computerName;
  const rbac = client(RbacAuthorizationV1Api);
  const { role, binding } = accessObjects(windowsAccess);
  await rbac.createClusterRole({ body: role as V1ClusterRole });
  await rbac.createClusterRoleBinding({ body: binding as V1ClusterRoleBinding });

  await machine.installContainerd();
  await machine.installKubernetes();
  await machine.installFlannel(nodeAddress, { backend, ...ranges });
  const entry = `${clusterAddress}=${clusterName}`;
  await assertDone(runStep(machine, "Set-HostsEntry", ["-Entry", entry]));
  await assertDone(
    runStep(
      machine,
      "Join-Node",
      [
        ...["-NodeName", machine.windows.computerName, "-ApiServerEndpoint", cluster.endpoint],
        ...["-NodeIp", nodeAddress, "-TimeoutSeconds", "120"],
      ],
      JSON.stringify({ token: await cluster.token(), caCertHashes: [cluster.caCertHash] }),
    ),
  );
  await waitFor("the Node", async () => (await cluster.nodes()).some(isOwn));
  // The controllers here give no ranges to nodes.
  await client(CoreV1Api).patchNode(
    { name: machine.windows.computerName, body: { spec: { podCIDR: ownPods } } },
    setHeaderOptions("Content-Type", PatchStrategy.StrategicMergePatch),
  );
  const network = [
    ...["-Address", nodeAddress, "-DelaySeconds", "1"],
    ...["-Network", flannelHnsNetwork(backend)],
  ];
  await assertDone(runStep(machine, "Add-ExternalNetwork", network), true);
  await machine.windows.tasksEnded();
  await assertDone(runStep(machine, "Confirm-ExternalNetwork", network), false);
}
