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
  return reportMade(await machinesMade(stack), json, print);
}

/** Prints what the machines are like. @returns which nodes are not Ready, or whose machine has a trouble. */
export async function reportMade(
  made: MachinesMade,
  json: boolean,
  print: (text: string) => void,
): Promise<CommandResult> {
  const seen = await readMadeStatus(made);
  print(json ? JSON.stringify({ stack: made.stack, ...seen }, undefined, 2) : madeText(seen));
  const troubled = seen.nodes.filter(({ ready, trouble }) => !ready || trouble !== undefined);
  return troubled.length === 0
    ? undefined
    : `not Ready: ${troubled.map(({ node }) => node).join(", ")}`;
}

async function readMadeStatus({ kubeconfig, machines }: MachinesMade): Promise<MadeStatus> {
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

function madeText({ nodes, clusterTrouble }: MadeStatus): string {
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
