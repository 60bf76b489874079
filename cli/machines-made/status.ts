import { readKubeconfig } from "../../components/controlplane/existing/examine-cluster.ts";
import type { SeenMachine } from "../../components/machine/kubevirt/stack-machines.ts";
import { messageOf } from "../../host/failure.ts";
import { ClusterApi } from "../../kubernetes/cluster-api.ts";
import { clusterNodes } from "../status/report.ts";
import { table } from "../table.ts";
import type { MachinesMade } from "./machines-made.ts";

/** The machines of a stack, each with whether its node is Ready. */
export interface MadeStatus {
  readonly nodes: readonly (SeenMachine & { readonly ready?: boolean })[];
  /** Why the cluster that they join does not tell its nodes. */
  readonly clusterTrouble?: string;
}

/** @throws where the cluster of the machines does not answer. */
export async function lookAtMade({ kubeconfig, machines }: MachinesMade): Promise<MadeStatus> {
  const seen = await machines.seen();
  try {
    const api = new ClusterApi(readKubeconfig(kubeconfig));
    const joined = clusterNodes(JSON.stringify(await api.get("/api/v1/nodes")));
    const ready = new Set(joined.filter((node) => node.ready).map(({ name }) => name));
    return { nodes: seen.map((each) => ({ ...each, ready: ready.has(each.node) })) };
  } catch (error) {
    return { nodes: seen, clusterTrouble: messageOf(error) };
  }
}

/** Whether all machines run, and are Ready nodes. */
export function isWell({ nodes }: MadeStatus): boolean {
  return nodes.every(({ ready, trouble }) => ready === true && trouble === undefined);
}

/** What there is, as people read it. */
export function madeText({ nodes, clusterTrouble }: MadeStatus): string {
  const rows = nodes.map(({ node, ready, state, host, address }) => [
    ...[node, ready === undefined ? "?" : ready ? "yes" : "NO", state, host, address],
  ]);
  return [
    rows.length === 0
      ? "no machines"
      : table(["NODE", "READY", "MACHINE", "HOST", "ADDRESS"], rows),
    ...nodes.flatMap(({ node, trouble }) => (trouble === undefined ? [] : [`${node}: ${trouble}`])),
    ...(clusterTrouble === undefined ? [] : [`the cluster does not answer: ${clusterTrouble}`]),
  ].join("\n");
}
