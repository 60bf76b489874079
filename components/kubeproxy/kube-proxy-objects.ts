import { createHash } from "node:crypto";
import type { HnsNetwork } from "../cni/pod-network.ts";
import { manifest, type Manifest } from "../manifest.ts";

export interface KubeProxyOptions {
  /** The image, usually `kubeProxyImage`. */
  readonly image: string;
  /** The start script. */
  readonly script: string;
  /** The pod network on Windows nodes. Default: the script's own, which is Calico. */
  readonly network: HnsNetwork | undefined;
}

/** sig-windows-tools' image of a Kubernetes version without a leading `v`: one for all Windows versions. */
export function kubeProxyImage(kubernetesVersion: string): string {
  return `sigwindowstools/kube-proxy:v${kubernetesVersion}-calico-hostprocess`;
}

/**
 * kube-proxy on every Windows node, and the ConfigMap with its start script, which is named by its content: a changed script is
 * a new ConfigMap, which rolls out like any change of a pod template.
 */
export function kubeProxyObjects({ image, script, network }: KubeProxyOptions): Manifest {
  const digest = createHash("sha256").update(script).digest("hex").slice(0, 8);
  const command = [
    ...["powershell.exe", "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass"],
    // containerd replaces the variable with the container's folder, which contains its volumes.
    ...["-File", "$env:CONTAINER_SANDBOX_MOUNT_POINT/etc/kube-proxy-windows/start.ps1"],
    // `powershell.exe -File` takes no empty argument.
    ...(network ? ["-NetworkName", network.name, "-EndpointName", network.endpoint ?? "none"] : []),
  ];
  const configMap = `kube-proxy-windows-${digest}`;
  const values = { image, script, configMap, command };
  return manifest(new URL("kube-proxy.yaml", import.meta.url), values);
}
