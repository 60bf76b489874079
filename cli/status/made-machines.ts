import { readKubeconfig } from "../../components/controlplane/existing/examine-cluster.ts";
import type { SeenMachine } from "../../components/machine/stack-machines.ts";
import { Failure, messageOf } from "../../host/failure.ts";
import { ClusterApi } from "../../host/kubernetes/cluster-api.ts";
import type { CommandResult, Options } from "../command-line/options.ts";
import { clusterNodes } from "./report.ts";
import { print } from "../progress.ts";
import { table } from "../table.ts";
import { type MachinesMade, machinesMade } from "../lab/made-machines.ts";

interface MadeStatus {
  readonly nodes: readonly (SeenMachine & { readonly ready?: boolean })[];
  readonly clusterTrouble?: string;
}

export interface StatusOptions extends Options<"json"> {
  readonly watch?: boolean;
  readonly interval?: number;
}

/** `kindows status`: shows the machines, where they run, and whether their nodes are Ready. */
export async function status({ stack, json, watch }: StatusOptions): Promise<CommandResult> {
  if (watch) {
    throw new Failure(
      `--watch works only for labs on this host: use \`watch ./kindows status --stack ${stack}\``,
    );
  }
  const seen = await readMadeStatus(await machinesMade(stack));
  const text = json ? JSON.stringify({ stack, ...seen }, undefined, 2) : madeText(seen);
  print(text);
  const troubled = notReady(seen);
  return troubled.length === 0 ? undefined : `not Ready: ${troubled.join(", ")}`;
}

export async function readMadeStatus({ kubeconfig, machines }: MachinesMade): Promise<MadeStatus> {
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

/** Names of the nodes that are not Ready, or whose machine has a trouble. */
export function notReady({ nodes }: MadeStatus): string[] {
  return nodes
    .filter(({ ready, trouble }) => ready !== true || trouble !== undefined)
    .map(({ node }) => node);
}

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
