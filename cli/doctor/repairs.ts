import { credentials, reachableKubeconfig, serverAddress } from "../../kubernetes/kubeconfig.ts";
import { ClusterApi } from "../../kubernetes/cluster-api.ts";
import { docker } from "../../host/docker.ts";
import { mintToken } from "../../components/controlplane/actions/mint-token.ts";
import { revokeToken } from "../../components/controlplane/actions/revoke-token.ts";
import { tokenText } from "../../components/controlplane/bootstrap-token-secret.ts";
import { scriptSeconds } from "../../components/windows/node-step.ts";
import { joinNode } from "../../components/windows/steps.ts";
import { firstControlPlane } from "../../config/names.ts";
import { waitUntil } from "../../host/wait-until.ts";
import { runOverSsh } from "../../ssh/run-over-ssh.ts";
import { enginePulumi } from "../engine/pulumi.ts";
import { Failure } from "../../host/failure.ts";
import { writeAccessFiles } from "../lab/access.ts";
import { labOutputs } from "../lab/outputs.ts";
import { labStateOf, withToken, type LabState } from "../lab/lab-state.ts";
import { askCluster, stepOverSsh } from "./examine-lab.ts";
import type { Repair } from "./finding.ts";

/** Life of a token that a join which is run again gets, in minutes; it is removed when that has ended. */
const tokenMinutes = 10;

/** Longest wait for an API server that was restarted, in seconds. */
const restartSeconds = 180;

/** Longest kubelet may take to end, in seconds. */
const stopSeconds = 60;

/** Does what a finding's repair says. @throws when it did not work. */
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
 * New certificates by kubeadm, in one control plane after the other; their programs read them when they start. What
 * `kindows` logs in with has grown as old, so the new one takes its place wherever the state has it.
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
  const { kubeconfig } = await labStateOf(enginePulumi(stack, lab));
  if (first === undefined || kubeconfig === undefined) {
    return;
  }
  const admin = await docker(["exec", first, "cat", "/etc/kubernetes/admin.conf"]);
  const renewed = reachableKubeconfig(admin, {
    name: lab,
    address: serverAddress(kubeconfig),
    serverName: credentials(kubeconfig).serverName,
  });
  await waitUntil(
    {
      what: "the API server to answer with its new certificates",
      timeoutSeconds: restartSeconds,
      pollMilliseconds: 2000,
    },
    async () => {
      const answer = await askCluster(renewed);
      return typeof answer === "string" ? answer : undefined;
    },
  );
  await replaceInState(kubeconfig, admin, stack, lab);
}

/**
 * Ends the control plane's programs; kubelet starts them again by itself. By the names Linux knows them under, which are
 * cut off after 15 characters: crictl is not in every node image. 1: those that matter had ended already.
 */
const restartControlPlane =
  "pkill --exact 'etcd|kube-apiserver|kube-controller|kube-scheduler' || [ $? = 1 ]";

/** Old and new certificate and key, as kubeconfigs have them: in base64, so that they stand in JSON as they are. */
async function replaceInState(
  before: string,
  after: string,
  stack: string,
  lab: string,
): Promise<void> {
  const pulumi = enginePulumi(stack, lab);
  const exported = await pulumi.state(["stack", "export", "--show-secrets"]);
  await pulumi.state(["stack", "import"], withNewClient(exported, before, after));
  const outputs = await labOutputs(pulumi);
  if (outputs !== undefined) {
    await writeAccessFiles(stack, outputs);
  }
}

/** A state with the client's certificate and key of one kubeconfig in the place of another's. */
export function withNewClient(state: string, before: string, after: string): string {
  const [old, fresh] = [credentials(before), credentials(after)];
  const base64 = (pem: string | undefined): string => Buffer.from(pem ?? "").toString("base64");
  return [
    [old.certificate, fresh.certificate],
    [old.key, fresh.key],
  ].reduce(
    (text, [from, to]) =>
      from === undefined || to === undefined ? text : text.replaceAll(base64(from), base64(to)),
    state,
  );
}

/** As kubeadm's documentation has it: a kubeconfig with a certificate inside, which kubelet takes for its own. */
async function renewKubeletCertificate(container: string, lab: string): Promise<void> {
  const kubeconfig = await docker([
    ...["exec", firstControlPlane(lab), "kubeadm", "kubeconfig", "user"],
    ...["--org", "system:nodes", "--client-name", `system:node:${container}`],
    ...["--config", "/kind/kubeadm.conf"],
  ]);
  const place =
    "umask 077 && cat > /etc/kubernetes/kubelet.conf && " +
    "rm -f /var/lib/kubelet/pki/kubelet-client-current.pem && systemctl restart kubelet";
  await docker(["exec", "--interactive", container, "bash", "-c", place], { input: kubeconfig });
}

/**
 * Stops kubelet and runs the last step of the join again: that sets the clock by the API server's and starts kubelet.
 *
 * With a token of its own: where the machine turns out not to have joined, it joins.
 *
 * @throws when the node has not joined by this stack's state, or with the step's own words.
 */
export async function runJoin(
  node: string,
  { machines, kubeconfig }: Pick<LabState, "machines" | "kubeconfig">,
): Promise<void> {
  const machine = machines.find((each) => each.node === node);
  if (machine?.join === undefined || kubeconfig === undefined) {
    throw new Failure(`${node} has not joined yet: kindows up`);
  }
  // It ends badly where kubelet does not run.
  await runOverSsh(machine, "net stop kubelet", stopSeconds).catch(() => undefined);
  const api = new ClusterApi(kubeconfig);
  const token = await mintToken(api, {
    ttlMinutes: tokenMinutes,
    description: `kindows: ${node} by the doctor`,
  });
  try {
    const { command, input } = machine.join;
    const text = withToken(input, tokenText(token));
    await stepOverSsh(joinNode.name, machine, command, scriptSeconds(joinNode), text);
  } finally {
    await revokeToken(api, token.id); // One that stays dies by itself.
  }
}
