import { shellWord } from "../../host/shell-word.ts";
import { type AccessFiles, sshArguments } from "../lab/access.ts";
import type { LabOutputs } from "../lab/outputs.ts";
import { table } from "../table.ts";
import type { V1NodeList } from "@kubernetes/client-node";

/** A virtual machine of a lab. */
export interface MachineState {
  readonly name: string;
  /** libvirt's word: `running`, `shut off`, ... */
  readonly state: string;
}

/** The report of `kindows status`. */
export interface LabStatus {
  readonly stack: string;
  readonly lab: string;
  readonly rehearsal: boolean;
  readonly nodes: readonly ClusterNode[];
  readonly clusterTrouble?: string;
  readonly machines: readonly MachineState[];
  readonly machineTrouble?: string;
  readonly outputs: LabOutputs;
  readonly access: AccessFiles;
}

/** Whether all machines run, and all nodes of the settings exist and are Ready. */
export function isHealthy(status: LabStatus): boolean {
  const ready = new Set(status.nodes.filter((node) => node.ready).map((node) => node.name));
  return (
    status.clusterTrouble === undefined &&
    status.machineTrouble === undefined &&
    status.nodes.every((node) => node.ready) &&
    status.outputs.nodes.every((node) => ready.has(node.name)) &&
    status.machines.every((machine) => machine.state === "running")
  );
}

function sshCommand(node: LabOutputs["nodes"][number], access: AccessFiles): string {
  return ["ssh", ...sshArguments(node, access)].map(shellWord).join(" ");
}

function kubectlCommand(access: AccessFiles, kubectl: string): string {
  return `${shellWord(kubectl)} --kubeconfig ${shellWord(access.kubeconfig)} get nodes -o wide`;
}

/** The report as people read it. */
export function statusText(status: LabStatus, kubectl: string): string {
  const { outputs, access } = status;
  const paragraphs = [
    nodesText(status),
    machinesText(status),
    [
      `control plane  ${outputs.controlPlane.endpoint} (${addressOf(outputs)}), Kubernetes ${outputs.controlPlane.kubernetesVersion}`,
      `kubectl        ${kubectlCommand(access, kubectl)}`,
      ...outputs.nodes.map((node) => `ssh ${node.name.padEnd(10)} ${sshCommand(node, access)}`),
    ].join("\n"),
  ];
  if (status.rehearsal) {
    paragraphs.push("rehearsal: Windows is simulated (Kubernetes' Windows programs under Wine)");
  }
  return paragraphs.join("\n\n");
}

function nodesText(status: LabStatus): string {
  if (status.clusterTrouble !== undefined) {
    return `the cluster does not answer: ${status.clusterTrouble}`;
  }
  const joined = new Set(status.nodes.map((node) => node.name));
  const missing = status.outputs.nodes.filter((node) => !joined.has(node.name));
  const rows = [
    ...status.nodes.map((node) => [
      node.name,
      node.os,
      node.ready ? "yes" : "NO",
      node.version,
      node.address,
      node.system,
      node.runtime,
    ]),
    ...missing.map((node) => [node.name, node.os, "NOT JOINED", "", node.address, "", ""]),
  ];
  const header = ["NODE", "OS", "READY", "KUBELET", "ADDRESS", "SYSTEM", "RUNTIME"];
  const reasons = status.nodes.flatMap((node) =>
    node.ready ? [] : [`${node.name} is not Ready: ${node.reason}`],
  );
  return [table(header, rows), ...reasons].join("\n");
}

function machinesText(status: LabStatus): string {
  if (status.machineTrouble !== undefined) {
    return `libvirt does not tell its machines: ${status.machineTrouble}`;
  }
  return status.machines.length === 0
    ? "no virtual machines"
    : table(
        ["MACHINE", "STATE"],
        status.machines.map(({ name, state }) => [name, state]),
      );
}

function addressOf(outputs: LabOutputs): string {
  return outputs.controlPlane.hostsEntries.map(({ address }) => address).join(", ");
}

/** A node as the cluster reports it. */
export interface ClusterNode {
  readonly name: string;
  readonly os: string;
  readonly ready: boolean;
  /** Why it is not Ready, as Kubernetes says. */
  readonly reason?: string;
  readonly version: string;
  readonly address: string;
  /** Distribution, or Windows edition, and kernel or build. */
  readonly system: string;
  readonly runtime: string;
}

/**
 * Nodes in the API server's answer to `/api/v1/nodes`, in its order.
 *
 * @throws if it is no list of nodes.
 */
export function clusterNodes(json: string): readonly ClusterNode[] {
  const { items } = JSON.parse(json) as Partial<V1NodeList>;
  if (items === undefined) throw new Error("its answer has no items");
  return items.map(({ metadata, status }) => {
    const info = status?.nodeInfo;
    const condition = status?.conditions?.find(({ type }) => type === "Ready");
    const ready = condition?.status === "True";
    const os = info?.operatingSystem ?? "";
    return {
      ...{ name: metadata?.name ?? "", os, ready },
      ...(ready ? {} : { reason: condition?.message ?? condition?.reason ?? "no Ready condition" }),
      version: info?.kubeletVersion ?? "",
      address: status?.addresses?.find(({ type }) => type === "InternalIP")?.address ?? "",
      // A Windows kernel version is its build; a Linux one says less than the distribution.
      system: [info?.osImage, ...(os === "windows" ? [info?.kernelVersion] : [])].join(" "),
      runtime: info?.containerRuntimeVersion ?? "",
    };
  });
}
