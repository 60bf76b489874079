import { createHash } from "node:crypto";
import type { types } from "@pulumi/kubernetes";

import type { HnsNetwork } from "../cni/pod-network.ts";

/** Where the script's ConfigMap is mounted; the same path below C:, as containerd 1.7 and later bind it. */
const scriptFolder = "/etc/kube-proxy-windows";

const name = "kube-proxy-windows";
const namespace = "kube-system";
const labels = { "k8s-app": name };

/**
 * Under one name in every run, so that what a killed run made without writing it down is taken over. The provider makes
 * up a name for each object otherwise, and the API server sees another's fields: it fills `fieldRef` in, which is then
 * not what is applied.
 */
const annotations = { "pulumi.com/patchFieldManager": "kindows" };

/** Name of the ConfigMap: a changed script is a new one, and rolls out as any change of a pod template. */
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
  /** The image; `kubeProxyImage` is the usual one. */
  readonly image: string;
  /** Name of the ConfigMap with the start script. */
  readonly configMap: string;
  /** The pods' network on Windows nodes; undefined: the script's own default, Calico's. */
  readonly network: HnsNetwork | undefined;
}

/** The image sig-windows-tools builds of each Kubernetes version, given without a leading `v`: one for all Windows versions. */
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
                // containerd puts the folder of the container's files in the variable's place, and its volumes below it.
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

/** What the script takes for: there is no endpoint. `powershell.exe -File` can be given no empty argument. */
const reservedAddress = "none";

function networkArguments(network: HnsNetwork | undefined): string[] {
  return network === undefined
    ? []
    : ["-NetworkName", network.name, "-EndpointName", network.endpoint ?? reservedAddress];
}
