import { localRegistry } from "../../config/local-registry.ts";
import { shellWord } from "../../host/shell-word.ts";
import { nodeList } from "../../host/kubernetes/api-objects.ts";
import { deployedOn } from "../../components/controlplane/deployed-programs.ts";
import type { AccessFiles } from "../lab/access.ts";
import { sshArguments } from "../lab/openssh-settings.ts";
import { table } from "../table.ts";
import type { V1NodeList } from "@kubernetes/client-node";
import type { LabOutputs } from "../lab/lab-outputs.ts";

interface MachineState {
  readonly name: string;
  /** libvirt's word: `running`, `shut off`, ... */
  readonly state: string;
}

export interface LabStatus {
  readonly stack: string;
  readonly lab: string;
  readonly rehearsal: boolean;
  /** Whether nodes are not Ready until the user has installed a pod network. Default: no. */
  readonly awaitsPodNetwork?: boolean;
  readonly nodes: readonly ClusterNode[];
  readonly clusterTrouble?: string;
  readonly machines: readonly MachineState[];
  readonly machineTrouble?: string;
  readonly outputs: LabOutputs;
  readonly access: AccessFiles;
}

/** What is wrong with the lab, one sentence each: a machine that is off, or a node of the lab that is not Ready. */
export function labTroubles(status: LabStatus): readonly string[] {
  const { clusterTrouble, machineTrouble, nodes, machines } = status;
  const ofNode = (name: string): string[] => {
    const node = nodes.find((each) => each.name === name);
    if (node === undefined) return [`${name} has not joined`];
    return node.ready || isExpected(status, node) ? [] : [`${name} is not Ready: ${node.reason}`];
  };
  const off = machines.filter(({ state }) => state === "shut off");
  if (clusterTrouble !== undefined && off.length > 0 && off.length === machines.length) {
    return [`it is off: \`kindows start --stack ${status.stack}\``];
  }
  return [
    ...(clusterTrouble === undefined
      ? ownNodes(status).flatMap(ofNode)
      : [`the cluster does not answer: ${clusterTrouble}`]),
    ...(machineTrouble === undefined
      ? []
      : [`libvirt does not list its machines: ${machineTrouble}`]),
    ...machines.flatMap(({ name, state }) => (state === "running" ? [] : [`${name} is ${state}`])),
  ];
}

/** Whether a node is not Ready because there is no pod network yet, which is the user's to install. Its kubelet does report. */
function isExpected({ awaitsPodNetwork = false }: LabStatus, { reports }: ClusterNode): boolean {
  return awaitsPodNetwork && reports === true;
}

/** Names of the nodes that the lab has made or joined. Others may join its cluster too, and their state is theirs. */
function ownNodes({ outputs }: LabStatus): readonly string[] {
  return [...outputs.controlPlane.nodeNames, ...outputs.nodes.map(({ name }) => name)];
}

export function statusText(status: LabStatus, kubectl: string): string {
  const { access } = status;
  const { controlPlane, nodes } = status.outputs;
  const { endpoint, kubernetesVersion, registry } = controlPlane;
  const addresses = controlPlane.hostsEntries.map(({ address }) => address).join(", ");
  const [program, kubeconfig] = [kubectl, access.kubeconfig].map(shellWord);
  const ssh = nodes.map((node) => {
    const command = ["ssh", ...sshArguments(node, access)].map(shellWord).join(" ");
    return `ssh ${node.name.padEnd(10)} ${command}`;
  });
  return [
    nodesText(status),
    machinesText(status),
    [
      `control plane  ${endpoint} (${addresses}), Kubernetes ${kubernetesVersion}`,
      `kubectl        ${program} --kubeconfig ${kubeconfig} get nodes -o wide`,
      ...(registry === undefined ? [] : [`registry       ${localRegistry.host} (${registry})`]),
      ...ssh,
    ].join("\n"),
    ...(status.rehearsal
      ? [
          "rehearsal: Windows is simulated (Kubernetes' Windows programs under Wine); the log of a container that is only modelled says so",
        ]
      : []),
  ].join("\n\n");
}

function nodesText(status: LabStatus): string {
  const { clusterTrouble, nodes, outputs } = status;
  if (clusterTrouble !== undefined) return `the cluster does not answer: ${clusterTrouble}`;
  const missing = outputs.nodes.filter(({ name }) => !nodes.some((node) => node.name === name));
  const rows = [
    ...nodes.map(({ name, os, ready, version, address, system, runtime }) => [
      ...[name, os, ready ? "yes" : "NO", version, address, system, runtime],
    ]),
    ...missing.map(({ name, os, address }) => [name, os, "NOT JOINED", "", address, "", ""]),
  ];
  const header = ["NODE", "OS", "READY", "KUBELET", "ADDRESS", "SYSTEM", "RUNTIME"];
  const own = ownNodes(status);
  const reasons = nodes.flatMap((node) => [
    ...(node.ready ? [] : [`${node.name} is not Ready: ${node.reason}`]),
    ...(own.includes(node.name) ? [] : [`${node.name} is not a node of this lab`]),
  ]);
  const awaited = nodes.some((node) => !node.ready && isExpected(status, node))
    ? ["Nodes become Ready when you have installed a pod network: kindows:cni.kind is none"]
    : [];
  const deployed = nodes.flatMap(({ name, deployed }) =>
    deployed.length === 0
      ? []
      : [
          `${name} has your own ${deployed.join(", ")}, which \`up\` keeps: \`kindows deploy ${name} --undo\` brings back the stack's`,
        ],
  );
  return [table(header, rows), ...reasons, ...awaited, ...deployed].join("\n");
}

function machinesText({ machines, machineTrouble }: LabStatus): string {
  if (machineTrouble !== undefined) return `libvirt does not list its machines: ${machineTrouble}`;
  const rows = machines.map(({ name, state }) => [name, state]);
  return rows.length === 0 ? "no virtual machines" : table(["MACHINE", "STATE"], rows);
}

interface ClusterNode {
  readonly name: string;
  readonly os: string;
  readonly ready: boolean;
  readonly reason?: string;
  /** Whether its kubelet says itself that it is not Ready, instead of being silent. */
  readonly reports?: boolean;
  readonly version: string;
  readonly address: string;
  /** Distribution, or Windows edition, and kernel or build. */
  readonly system: string;
  readonly runtime: string;
  /** Programs that `kindows deploy` has put onto it. */
  readonly deployed: readonly string[];
}

/** Nodes in the API server's answer to `/api/v1/nodes`, in its order. @throws if it is no list of nodes. */
export function clusterNodes(json: string): readonly ClusterNode[] {
  const { items } = nodeList(json) as V1NodeList;
  return items.map(({ metadata, status }) => {
    const info = status?.nodeInfo;
    const condition = status?.conditions?.find(({ type }) => type === "Ready");
    const ready = condition?.status === "True";
    const os = info?.operatingSystem ?? "";
    return {
      name: metadata?.name ?? "",
      os,
      ready,
      ...(ready
        ? {}
        : {
            reason: condition?.message ?? condition?.reason ?? "no Ready condition",
            reports: condition?.status === "False",
          }),
      version: info?.kubeletVersion ?? "",
      address: status?.addresses?.find(({ type }) => type === "InternalIP")?.address ?? "",
      // A Windows kernel version is its build; a Linux one says less than the distribution.
      system: [info?.osImage, ...(os === "windows" ? [info?.kernelVersion] : [])].join(" "),
      runtime: info?.containerRuntimeVersion ?? "",
      deployed: Object.keys(deployedOn({ metadata })),
    };
  });
}
