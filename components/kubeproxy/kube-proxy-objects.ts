import { createHash } from "node:crypto";
import type { types } from "@pulumi/kubernetes";

import type { HnsNetwork } from "../cni/pod-network.ts";

/** Mount path of the script's ConfigMap; containerd 1.7 and later bind it to the same path below C:. */
const scriptFolder = "/etc/kube-proxy-windows";

const name = "kube-proxy-windows";
const namespace = "kube-system";
const labels = { "k8s-app": name };

/**
 * A fixed field manager, so that objects of a killed run that are not in the state are adopted. Otherwise the provider makes
 * up a name for each object, and the API server reports conflicts with another manager's fields.
 */
const annotations = { "pulumi.com/patchFieldManager": "kindows" };

/** Name of the ConfigMap: a changed script is a new ConfigMap, which rolls out like any change of a pod template. */
export function scriptConfigMapName(script: string): string {
  return `${name}-${createHash("sha256").update(script).digest("hex").slice(0, 8)}`;
}

/** The ConfigMap with the start script. */
export function scriptConfigMap(script: string): types.input.core.v1.ConfigMap {
  return {
    metadata: { name: scriptConfigMapName(script), namespace, labels, annotations },
    data: { "start.ps1": script },
  };
}

export interface DaemonSetOptions {
  /** The image, usually `kubeProxyImage`. */
  readonly image: string;
  /** Name of the ConfigMap with the start script. */
  readonly configMap: string;
  /** The pod network on Windows nodes. Default: the script's own, which is Calico. */
  readonly network: HnsNetwork | undefined;
}

/** sig-windows-tools' image of a Kubernetes version without a leading `v`: one for all Windows versions. */
export function kubeProxyImage(kubernetesVersion: string): string {
  return `sigwindowstools/kube-proxy:v${kubernetesVersion}-calico-hostprocess`;
}

/**
 * kube-proxy on every Windows node, as a HostProcess container: after sig-windows-tools'
 * hostprocess/calico/kube-proxy/kube-proxy.yml, but with a start script of our own.
 *
 * It runs as the service account and with the kubeconfig kubeadm made for the Linux kube-proxy.
 */
export function daemonSet(options: DaemonSetOptions): types.input.apps.v1.DaemonSet {
  return {
    metadata: { name, namespace, labels, annotations },
    spec: {
      selector: { matchLabels: labels },
      updateStrategy: { type: "RollingUpdate" },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: "kube-proxy",
          hostNetwork: true,
          priorityClassName: "system-node-critical",
          securityContext: {
            windowsOptions: { hostProcess: true, runAsUserName: "NT AUTHORITY\\SYSTEM" },
          },
          nodeSelector: { "kubernetes.io/os": "windows" },
          tolerations: [{ operator: "Exists" }],
          containers: [
            {
              name: "kube-proxy",
              image: options.image,
              imagePullPolicy: "IfNotPresent",
              command: [
                ...["powershell.exe", "-NoProfile", "-NonInteractive"],
                ...["-ExecutionPolicy", "Bypass"],
                // containerd replaces the variable with the container's folder, which contains its volumes.
                ...["-File", `$env:CONTAINER_SANDBOX_MOUNT_POINT${scriptFolder}/start.ps1`],
                ...networkArguments(options.network),
              ],
              env: [
                { name: "NODENAME", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
                { name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
              ],
              volumeMounts: [
                { name: "kube-proxy", mountPath: "/var/lib/kube-proxy" },
                { name: "script", mountPath: scriptFolder },
              ],
            },
          ],
          volumes: [
            { name: "kube-proxy", configMap: { name: "kube-proxy" } },
            { name: "script", configMap: { name: options.configMap } },
          ],
        },
      },
    },
  };
}

/** The script's value for no endpoint, as `powershell.exe -File` takes no empty argument. */
const reservedAddress = "none";

function networkArguments(network: HnsNetwork | undefined): string[] {
  return network === undefined
    ? []
    : ["-NetworkName", network.name, "-EndpointName", network.endpoint ?? reservedAddress];
}
