import { Failure } from "../../host/failure.ts";
import { ClusterApi } from "../../host/kubernetes/cluster-api.ts";
import type { Options } from "../command-line/options.ts";
import { planDeploy, planUndo } from "../deploy/deploy-plan.ts";
import { deployTo, undoOn } from "../deploy/deploy-to-machine.ts";
import { enginePulumi } from "../engine/pulumi.ts";
import { labStateOf } from "../lab/lab-state.ts";
import { labThatIsUp } from "../lab/outputs.ts";

interface DeployOptions extends Options<"drain" | "undo"> {
  readonly node: string;
  /** `kubelet=FILE` and the like; with `--undo` names of programs, or none for all. */
  readonly programs: readonly string[];
}

/**
 * `kindows deploy`: puts your own kubelet, kubeadm, kube-proxy, containerd or CNI plugin onto a running Windows node, and
 * keeps the installed one for `--undo`.
 */
export async function deploy({ stack, node, programs, drain, undo }: DeployOptions): Promise<void> {
  const { lab, outputs } = await labThatIsUp(stack);
  const { kubernetesVersion, nodeNames } = outputs.controlPlane;
  const target = {
    kubernetesVersion,
    nodes: [
      ...nodeNames.map((name) => ({ name, os: "linux" as const })),
      ...outputs.nodes.map(({ name, os }) => ({ name, os })),
    ],
  };
  const places = undo ? planUndo(node, programs, target) : [];
  const deployments = undo ? [] : await planDeploy(node, programs, target);
  const { machines } = await labStateOf(enginePulumi(stack, lab));
  const source = machines.find((machine) => machine.node === node);
  if (source === undefined) {
    throw new Failure(`${node} has not joined yet: \`kindows up --stack ${stack}\``);
  }
  const api = new ClusterApi(outputs.kubeconfig);
  const deployNode = { name: node, source, api, kubernetesVersion, drain };
  await (undo ? undoOn(deployNode, places) : deployTo(deployNode, deployments));
}
