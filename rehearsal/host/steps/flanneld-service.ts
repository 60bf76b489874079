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

/** Registers the service, stopped and manual, or gives it another command line; whether anything differed. */
export async function registerFlanneldService(
  { services }: WindowsHost,
  commandLine: string,
): Promise<boolean> {
  const before = services.get("flanneld");
  if (before === undefined) {
    return services.configure("flanneld", {
      commandLine,
      displayName: "flanneld",
      description: "Network of the pods",
      startType: "manual",
      dependsOn: [],
      restarts: false,
    });
  }
  if (before.commandLine === commandLine) return false;
  await services.stop("flanneld");
  return services.change("flanneld", { commandLine });
}

/** Tells flanneld its Node; whether it was another, which leaves the service stopped. */
export async function setFlanneldNode(
  { services }: WindowsHost,
  nodeName: string,
): Promise<boolean> {
  const wanted = [`NODE_NAME=${nodeName}`];
  if (services.environment("flanneld").join("\n") === wanted.join("\n")) return false;
  await services.stop("flanneld");
  await services.setEnvironment("flanneld", wanted);
  return true;
}

/** Starts flanneld again on a node whose network it has made, where it was stopped for something new. */
export async function startUsedFlanneld(context: StepContext): Promise<void> {
  await startAutomaticService(context, "flanneld", flanneldLogPath);
}

/** Stops flanneld, where there is one, before the node joins another cluster. */
export async function stopUsedFlanneld({ services }: WindowsHost): Promise<void> {
  if (services.get("flanneld")) await services.stop("flanneld");
}
