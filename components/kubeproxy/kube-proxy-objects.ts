import { createHash } from "node:crypto";
import type { DaemonSetName } from "../../kubernetes/daemon-set.ts";
import type { HnsNetwork } from "../cni/pod-network.ts";
import { manifest, type Manifest } from "../manifest.ts";

export interface KubeProxyOptions {
  /** The image, usually `kubeProxyImage`. */
  readonly image: string;
  /** Content of the start script. */
  readonly script: string;
  /** The pod network on Windows nodes. Default: that of the script's parameters, Calico. */
  readonly network: HnsNetwork | undefined;
  /**
   * Whether the provider waits until the DaemonSet runs on all Windows nodes of the cluster, those that others joined
   * and that are not Ready included. Default: true.
   */
  readonly isAwaited?: boolean;
}

export const kubeProxyName: DaemonSetName = {
  namespace: "kube-system",
  name: "kube-proxy-windows",
};

/** sig-windows-tools' image for all Windows versions. @param kubernetesVersion without a leading `v` */
export function kubeProxyImage(kubernetesVersion: string): string {
  return `sigwindowstools/kube-proxy:v${kubernetesVersion}-calico-hostprocess`;
}

/**
 * The DaemonSet of kube-proxy on Windows nodes, and the ConfigMap with its start script. The ConfigMap's name contains
 * a hash of the script, so a changed script creates a new ConfigMap and rolls out like any change of a pod template.
 */
export function kubeProxyObjects(options: KubeProxyOptions): Manifest {
  const { image, script, network, isAwaited = true } = options;
  const digest = createHash("sha256").update(script).digest("hex").slice(0, 8);
  const command = [
    ...["powershell.exe", "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass"],
    // containerd replaces the variable with the path of the container's folder, which contains its volumes.
    ...["-File", "$env:CONTAINER_SANDBOX_MOUNT_POINT/etc/kube-proxy-windows/start.ps1"],
    // "none", because `powershell.exe -File` accepts no empty argument.
    ...(network ? ["-NetworkName", network.name, "-EndpointName", network.endpoint ?? "none"] : []),
  ];
  const configMap = `kube-proxy-windows-${digest}`;
  const annotations = {
    "pulumi.com/patchFieldManager": "kindows",
    ...(!isAwaited && { "pulumi.com/skipAwait": "true" }),
  };
  const values = { image, script, configMap, command, annotations };
  return manifest(new URL("kube-proxy.yaml", import.meta.url), values);
}
