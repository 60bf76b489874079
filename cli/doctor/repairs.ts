import {
  credentials,
  reachableKubeconfig,
  serverAddress,
} from "../../host/kubernetes/kubeconfig.ts";
import { ClusterApi } from "../../host/kubernetes/cluster-api.ts";
import { docker } from "../../host/docker.ts";
import { mintToken, revokeToken, tokenId } from "../../components/controlplane/join-token.ts";
import { scriptSeconds } from "../../components/windows/node-step.ts";
import { joinNode } from "../../components/windows/steps.ts";
import { firstControlPlane } from "../../config/names.ts";
import { waitUntil } from "../../host/wait-until.ts";
import { enginePulumi } from "../engine/pulumi.ts";
import { Failure } from "../../host/failure.ts";
import { writeAccessFiles } from "../lab/access.ts";
import { labOutputs } from "../lab/outputs.ts";
import { labStateOf, withToken, type LabState } from "../lab/lab-state.ts";
import { askCluster } from "./examine-lab.ts";
import type { Repair } from "./finding.ts";
import { resultOf } from "./machine-result.ts";
import { runOverSsh } from "../../host/ssh/run-over-ssh.ts";

/** Lifetime of the token for a repeated join, in minutes; it is deleted afterwards. */
const tokenMinutes = 10;

const restartSeconds = 180;

export async function doRepair(repair: Repair, stack: string, lab: string): Promise<void> {
  switch (repair.kind) {
    case "renew-certificates":
      return renewCertificates(repair.containers, stack, lab);
    case "renew-kubelet-certificate":
      return renewKubeletCertificate(repair.container, lab);
    case "restart-kubelet":
      await docker(["exec", repair.container, "systemctl", "restart", "kubelet"]);
      return;
    case "run-join":
      return runJoin(repair.node, await labStateOf(enginePulumi(stack, lab)));
  }
}

/**
 * Renews certificates with kubeadm, one control plane after the other, and restarts the programs that use them. The
 * lab's kubeconfig expires at the same time, so it is replaced wherever the state has it.
 */
async function renewCertificates(
  containers: readonly string[],
  stack: string,
  lab: string,
): Promise<void> {
  for (const container of containers) {
    const renew = ["kubeadm", "certs", "renew", "all", "--config", "/kind/kubeadm.conf"];
    await docker(["exec", container, ...renew], { timeoutSeconds: 120 });
    await docker(["exec", container, "bash", "-c", restartControlPlane], { timeoutSeconds: 120 });
  }
  const [first] = containers;
  const pulumi = enginePulumi(stack, lab);
  const { kubeconfig } = await labStateOf(pulumi);
  if (first === undefined || kubeconfig === undefined) return;
  const admin = await docker(["exec", first, "cat", "/etc/kubernetes/admin.conf"]);
  const renewed = reachableKubeconfig(admin, {
    name: lab,
    address: serverAddress(kubeconfig),
    serverName: credentials(kubeconfig).serverName,
  });
  const what = "the API server to answer with its new certificates";
  await waitUntil({ what, timeoutSeconds: restartSeconds, pollMilliseconds: 2000 }, async () => {
    const answer = await askCluster(renewed);
    return typeof answer === "string" ? answer : undefined;
  });
  const exported = await pulumi.state(["stack", "export", "--show-secrets"]);
  await pulumi.state(["stack", "import"], withNewClient(exported, kubeconfig, admin));
  const outputs = await labOutputs(pulumi);
  if (outputs !== undefined) await writeAccessFiles(stack, outputs);
}

/**
 * Ends the control plane's programs; kubelet restarts them. Uses process names, which Linux truncates to 15 characters,
 * as not every node image has crictl. Exit code 1: they had ended already.
 */
const restartControlPlane =
  "pkill --exact 'etcd|kube-apiserver|kube-controller|kube-scheduler' || [ $? = 1 ]";

/** Replaces client certificate and key as base64, as in kubeconfigs, so that JSON needs no escaping. */
export function withNewClient(state: string, before: string, after: string): string {
  const [old, fresh] = [credentials(before), credentials(after)];
  const base64 = (pem: string): string => Buffer.from(pem).toString("base64");
  return (["certificate", "key"] as const).reduce((text, part) => {
    const [from, to] = [old[part], fresh[part]];
    return from && to ? text.replaceAll(base64(from), base64(to)) : text;
  }, state);
}

/** Gives kubelet a kubeconfig with an embedded client certificate, as kubeadm's documentation describes. */
async function renewKubeletCertificate(container: string, lab: string): Promise<void> {
  const kubeconfig = await docker([
    ...["exec", firstControlPlane(lab), "kubeadm", "kubeconfig", "user"],
    ...["--org", "system:nodes", "--client-name", `system:node:${container}`],
    ...["--config", "/kind/kubeadm.conf"],
  ]);
  const install =
    "umask 077 && cat > /etc/kubernetes/kubelet.conf && " +
    "rm -f /var/lib/kubelet/pki/kubelet-client-current.pem && systemctl restart kubelet";
  await docker(["exec", "--interactive", container, "bash", "-c", install], { input: kubeconfig });
}

/** Repeats the last step of the join, with a token of its own in case the machine turns out not to have joined. */
export async function runJoin(
  node: string,
  { machines, kubeconfig }: Pick<LabState, "machines" | "kubeconfig">,
): Promise<void> {
  const machine = machines.find((each) => each.node === node);
  if (machine?.join === undefined || kubeconfig === undefined) {
    throw new Failure(`${node} has not joined yet: run \`kindows up\``);
  }
  const api = new ClusterApi(kubeconfig);
  const token = await mintToken(api, {
    ttlMinutes: tokenMinutes,
    description: `kindows: ${node} by the doctor`,
  });
  try {
    const { command, input } = machine.join;
    const text = withToken(input, token);
    // The command is as the machine's shell took it when it joined.
    const running = runOverSsh(machine, command, scriptSeconds(joinNode), { input: text });
    await resultOf(joinNode.name, machine, running);
  } finally {
    await revokeToken(api, tokenId(token)); // It expires anyway.
  }
}
