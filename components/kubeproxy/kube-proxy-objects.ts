import { createHash } from "node:crypto";
import { stringify } from "yaml";
import type { DaemonSetName } from "../../host/kubernetes/daemon-set.ts";
import type { HnsNetwork } from "../cni/pod-network.ts";
import { manifest, type Manifest } from "../manifest.ts";

interface KubeProxyOptions {
  /** The image, usually `kubeProxyImage`. */
  readonly image: string;
  /** Content of the start script. */
  readonly script: string;
  /** The pod network on Windows nodes. Default: that of the script's parameters, Calico. */
  readonly network: HnsNetwork | undefined;
  /** The API server, `https://HOST:PORT`. Default: that of kubeadm's ConfigMap for kube-proxy. */
  readonly server?: string | undefined;
  /** Names of the Secrets in its namespace with which the image is pulled. Default: none. */
  readonly pullSecrets?: readonly string[] | undefined;
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
  const { image, script, network, server, isAwaited = true } = options;
  const files = {
    "start.ps1": script,
    ...(server !== undefined && { [kubeconfigKey]: kubeconfigFor(server) }),
  };
  const digest = createHash("sha256")
    .update(Object.values(files).join(""))
    .digest("hex")
    .slice(0, 8);
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
  const secrets = (options.pullSecrets ?? []).map((name) => ({ name }));
  const pullSecrets = secrets.length > 0 ? secrets : undefined;
  const kubeconfigMap = server === undefined ? "kube-proxy" : configMap;
  const values = {
    ...{ image, files, configMap, kubeconfigMap, pullSecrets, command, annotations },
    readinessProbe: network && readyByHealthz,
  };
  return manifest(new URL("kube-proxy.yaml", import.meta.url), values);
}

/**
 * Without it the pod would be ready while its script still waits for the pods' HNS network. Only for a pod network that makes
 * one: elsewhere kube-proxy never starts. The port is kube-proxy's default (`--healthz-bind-address`), on all addresses.
 */
const readyByHealthz = {
  httpGet: { host: "127.0.0.1", path: "/healthz", port: 10256 },
  periodSeconds: 5,
  timeoutSeconds: 5,
};

/** Where kubeadm's ConfigMap for kube-proxy has the kubeconfig, and ours too. */
const kubeconfigKey = "kubeconfig.conf";

/** The same as kubeadm's for kube-proxy: the pod's own account, at another API server. */
function kubeconfigFor(server: string): string {
  const account = "/var/run/secrets/kubernetes.io/serviceaccount";
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      { name: "default", cluster: { "certificate-authority": `${account}/ca.crt`, server } },
    ],
    contexts: [
      { name: "default", context: { cluster: "default", namespace: "default", user: "default" } },
    ],
    "current-context": "default",
    users: [{ name: "default", user: { tokenFile: `${account}/token` } }],
  });
}
