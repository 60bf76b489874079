import type { StepContext, StepOutcome } from "../step.ts";
import { startUsedFlanneld, stopUsedFlanneld } from "./flanneld-service.ts";
import { StepError } from "../step-error.ts";
import { syncClock } from "./clock.ts";
import { joinConfiguration } from "./join-configuration.ts";
import { parseJoinSecret } from "./join-secret.ts";
import { joinCluster } from "./kubeadm-join.ts";
import {
  assertKubeletArguments,
  kubeletCommandLine,
  kubeletLogPath,
  setKubeletService,
} from "./kubelet-service.ts";
import {
  clusterIdentity,
  getJoinRecord,
  hasJoinRemains,
  hasNodeCredentials,
  resetMembership,
} from "./membership.ts";
import { assertNodeAddress } from "./own-address.ts";
import { startServiceInTime } from "./start-service.ts";

/** Joins with the real kubeadm.exe and leaves the real kubelet.exe running. */
export async function joinNode(context: StepContext): Promise<StepOutcome> {
  const { host, parameters } = context;
  const { services } = host;
  const nodeName = parameters.text("NodeName");
  const apiServerEndpoint = parameters.text("ApiServerEndpoint");
  const criSocket = parameters.text("CriSocket");
  const nodeIp = parameters.text("NodeIp");
  const labels = parameters.text("NodeLabels");
  const taints = parameters.text("NodeTaints");
  const timeoutSeconds = parameters.integer("TimeoutSeconds");

  const secret = parseJoinSecret(await context.stdin());
  if (!(await host.drive.isFile("C:\\k\\kubeadm.exe")) || !services.get("kubelet")) {
    throw new StepError(
      "KubernetesMissing",
      "There is no C:\\k\\kubeadm.exe or no service kubelet.",
      "Run Install-Kubernetes first.",
    );
  }
  assertNodeAddress(context, nodeIp);
  const extra = parameters
    .text("KubeletArgs")
    .split(" ")
    .filter((argument) => argument !== "");
  const commandLine = kubeletCommandLine([
    `--hostname-override=${nodeName}`,
    `--node-ip=${nodeIp}`,
    ...(labels === "" ? [] : [`--node-labels=${labels}`]),
    ...(taints === "" ? [] : [`--register-with-taints=${taints}`]),
    ...extra.map((argument) => `--${argument}`),
  ]);
  if (extra.length > 0) {
    await assertKubeletArguments(
      context,
      extra.map((argument) => `--${argument}`),
    );
  }

  const start = Date.now();
  await waitApiServer(context, apiServerEndpoint, Math.min(90, timeoutSeconds));
  const clockMovedSeconds = await syncClock(context, apiServerEndpoint);

  const cluster = clusterIdentity(apiServerEndpoint, secret.caCertHashes);
  const recorded = await getJoinRecord(host);
  const alreadyJoined = recorded === cluster && (await hasNodeCredentials(host));
  let wasReset = false;
  if (!alreadyJoined && (await hasJoinRemains(host))) {
    context.progress(
      "what another cluster or a join that was cut short left here is removed first",
    );
    await resetMembership(context, criSocket, 120);
    wasReset = true;
  }

  let changed = !alreadyJoined || clockMovedSeconds !== 0;
  if (!alreadyJoined) {
    await stopUsedFlanneld(host);
    const configuration = joinConfiguration({
      nodeName,
      apiServerEndpoint,
      criSocket,
      taints,
      secret,
      timeoutSeconds,
    });
    const left = timeoutSeconds - Math.round((Date.now() - start) / 1000);
    await joinCluster(context, {
      configuration,
      token: secret.token,
      criSocket,
      cluster,
      commandLine,
      timeoutSeconds: left,
    });
  }

  // From here on the node comes back by itself after a reboot.
  if (await setKubeletService(host, commandLine, "auto")) {
    changed = true;
    if (alreadyJoined) await services.stop("kubelet");
  }
  if (!(await services.isRunning("kubelet"))) changed = true;
  await startServiceInTime(context, "kubelet", 60, kubeletLogPath);
  await startUsedFlanneld(context);
  if (!alreadyJoined) {
    for (const folder of ["C:\\etc\\kubernetes", "C:\\var\\lib\\kubelet"]) {
      await host.drive.flush(folder);
    }
  }
  return {
    changed,
    facts: { nodeName, apiServerEndpoint, alreadyJoined, wasReset, clockMovedSeconds },
  };
}

async function waitApiServer(
  { host }: StepContext,
  endpoint: string,
  timeoutSeconds: number,
): Promise<void> {
  const [name = "", port = ""] = endpoint.split(":", 2);
  const deadline = Date.now() + host.milliseconds(timeoutSeconds);
  let problem: string | undefined;
  do {
    problem = await host.programs.connect(name, Number(port), 5);
    if (problem === undefined) return;
    await host.pause(2);
  } while (Date.now() < deadline);
  throw new StepError(
    "ApiServerUnreachable",
    `The API server ${endpoint} could not be reached from this machine in ${timeoutSeconds} s; last seen: ${problem}`,
    "Look at the hosts file (Set-HostsEntry), the lab network and whether the control plane runs.",
  );
}
