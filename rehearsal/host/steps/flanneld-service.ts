import type { StepContext } from "../step.ts";
import type { WindowsHost } from "../windows-host.ts";
import { startAutomaticService } from "./start-service.ts";

export const flanneldLogPath = "C:\\var\\log\\flanneld\\flanneld.log";

/** Command line of the service flanneld; `nodeIp` is the node's own address. */
export function flanneldCommandLine(nodeIp: string): string {
  return [
    "C:\\k\\flanneld-service.exe",
    "C:\\k\\kube-log-runner.exe",
    "--log-file=C:/var/log/flanneld/flanneld.log",
    "--log-file-size=50Mi",
    "--log-file-age=168h",
    "C:\\k\\flanneld.exe",
    "--kube-subnet-mgr",
    "--ip-masq",
    "--kubeconfig-file=C:/etc/kubernetes/kubelet.conf",
    "--net-config-path=C:/etc/kube-flannel/net-conf.json",
    "--subnet-file=C:/run/flannel/subnet.env",
    `--iface=${nodeIp}`,
  ].join(" ");
}

/** Starts flanneld again on a node whose network it has made, where it was stopped for something new. */
export async function startUsedFlanneld(context: StepContext): Promise<void> {
  await startAutomaticService(context, "flanneld", flanneldLogPath);
}

/** Stops flanneld, where there is one, before the node joins another cluster. */
export async function stopUsedFlanneld({ services }: WindowsHost): Promise<void> {
  if (services.get("flanneld")) await services.stop("flanneld");
}
