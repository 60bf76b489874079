import type { StepContext } from "../step.ts";
import type { WindowsHost } from "../windows-host.ts";
import { runNative } from "./native-command.ts";
import { startAutomaticService } from "./start-service.ts";

export const kubeletLogPath = "C:\\var\\log\\kubelet\\kubelet.log";

/** Command line of the service kubelet; `nodeArguments` are what is particular to this node. */
export function kubeletCommandLine(nodeArguments: readonly string[]): string {
  return [
    "C:\\k\\kube-log-runner.exe",
    "--log-file=C:/var/log/kubelet/kubelet.log",
    "--log-file-size=50Mi",
    "--log-file-age=168h",
    "C:\\k\\kubelet.exe",
    "--windows-service",
    "--cert-dir=C:/var/lib/kubelet/pki",
    "--config=C:/var/lib/kubelet/config.yaml",
    "--bootstrap-kubeconfig=C:/etc/kubernetes/bootstrap-kubelet.conf",
    "--kubeconfig=C:/etc/kubernetes/kubelet.conf",
    "--container-runtime-endpoint=npipe:////./pipe/containerd-containerd",
    "--cgroups-per-qos=false",
    "--enforce-node-allocatable=",
    "--resolv-conf=",
    "--enable-debugging-handlers",
    ...nodeArguments,
  ].join(" ");
}

/** Asks kubelet whether it knows these arguments: it looks at all of them before it says its version. */
export async function assertKubeletArguments(
  context: StepContext,
  args: readonly string[],
): Promise<void> {
  await runNative(context, {
    exe: "C:\\k\\kubelet.exe",
    args: [...args, "--version"],
    timeoutSeconds: 60,
    failureCode: "KubeletArgsRefused",
    remedy:
      "Correct nodes[].kubeletArgs in the settings: this version of kubelet does not take them.",
  });
}

/** Gives the service its command line and start mode; whether anything differed. */
export async function setKubeletService(
  { services }: WindowsHost,
  commandLine: string,
  startType: "manual" | "auto",
): Promise<boolean> {
  return services.change("kubelet", { commandLine, startType });
}

/** Whether kubelet is started again after it has ended by itself: from the join on, not without a cluster. */
export async function setKubeletRecovery(
  { services }: WindowsHost,
  restarts: boolean,
): Promise<void> {
  await services.change("kubelet", { restarts });
}

/** Starts kubelet again on a node that has joined, where stopping something it depends on has stopped it too. */
export async function startJoinedKubelet(context: StepContext): Promise<void> {
  await startAutomaticService(context, "kubelet", kubeletLogPath);
}
