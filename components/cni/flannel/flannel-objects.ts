import { createHash } from "node:crypto";
import type { types } from "@pulumi/kubernetes";

import { flannelImages } from "./release.ts";

const namespace = "kube-flannel";
const labels = { "k8s-app": "flannel" };
const podLabels = { app: "flannel", tier: "node" };
const annotations = { "pulumi.com/patchFieldManager": "kindows" };

/** Mount path of the ConfigMap in the containers. */
const configFolder = "/etc/kube-flannel/";

/** Flannel's ConfigMap. */
export interface FlannelFiles {
  readonly netConf: object;
  readonly cniConf: object;
}

export function flannelNamespace(): types.input.core.v1.Namespace {
  return {
    metadata: {
      name: namespace,
      labels: { ...labels, "pod-security.kubernetes.io/enforce": "privileged" },
      annotations,
    },
  };
}

export function flannelAccount(): types.input.core.v1.ServiceAccount {
  return { metadata: { name: "flannel", namespace, labels, annotations } };
}

/** It reads the other nodes' ranges from their Nodes, and annotates its own. */
export function flannelRole(): types.input.rbac.v1.ClusterRole {
  return {
    metadata: { name: "flannel", labels, annotations },
    rules: [
      { apiGroups: [""], resources: ["pods"], verbs: ["get"] },
      { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch"] },
      { apiGroups: [""], resources: ["nodes/status"], verbs: ["patch"] },
    ],
  };
}

export function flannelBinding(): types.input.rbac.v1.ClusterRoleBinding {
  return {
    metadata: { name: "flannel", labels, annotations },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "flannel" },
    subjects: [{ kind: "ServiceAccount", name: "flannel", namespace }],
  };
}

/** Name of the ConfigMap: changed content is a new ConfigMap, which rolls out like any change of a pod template. */
export function flannelConfigMapName(files: FlannelFiles): string {
  const digest = createHash("sha256").update(JSON.stringify(files)).digest("hex").slice(0, 8);
  return `kube-flannel-cfg-${digest}`;
}

export function flannelConfigMap(files: FlannelFiles): types.input.core.v1.ConfigMap {
  return {
    metadata: { name: flannelConfigMapName(files), namespace, labels, annotations },
    data: {
      "cni-conf.json": JSON.stringify(files.cniConf, undefined, 2),
      "net-conf.json": JSON.stringify(files.netConf, undefined, 2),
    },
  };
}

/** Flannel on every Linux node, as in its own Documentation/kube-flannel.yml. */
export function flannelDaemonSet(configMap: string): types.input.apps.v1.DaemonSet {
  const fromField = (name: string, fieldPath: string): types.input.core.v1.EnvVar => ({
    name,
    valueFrom: { fieldRef: { fieldPath } },
  });
  const config = { name: "flannel-cfg", mountPath: configFolder };
  return {
    metadata: {
      name: "kube-flannel-ds",
      namespace,
      labels: { ...labels, ...podLabels },
      annotations,
    },
    spec: {
      selector: { matchLabels: { app: "flannel" } },
      template: {
        metadata: { labels: podLabels },
        spec: {
          nodeSelector: { "kubernetes.io/os": "linux" },
          hostNetwork: true,
          priorityClassName: "system-node-critical",
          tolerations: [{ operator: "Exists", effect: "NoSchedule" }],
          serviceAccountName: "flannel",
          initContainers: [
            {
              name: "install-cni-plugin",
              image: flannelImages.cniPlugin,
              command: ["cp"],
              args: ["-f", "/flannel", "/opt/cni/bin/flannel"],
              volumeMounts: [{ name: "cni-plugin", mountPath: "/opt/cni/bin" }],
            },
            {
              name: "install-cni",
              image: flannelImages.daemon,
              command: ["/opt/bin/install-conf"],
              args: [`${configFolder}cni-conf.json`, "/etc/cni/net.d/10-flannel.conflist"],
              volumeMounts: [{ name: "cni", mountPath: "/etc/cni/net.d" }, config],
            },
          ],
          containers: [
            {
              name: "kube-flannel",
              image: flannelImages.daemon,
              command: ["/opt/bin/flanneld"],
              args: ["--ip-masq", "--kube-subnet-mgr", "--healthz-port=8081"],
              ports: [{ name: "healthz", containerPort: 8081, protocol: "TCP" }],
              livenessProbe: {
                httpGet: { path: "/healthz", port: "healthz" },
                initialDelaySeconds: 10,
                periodSeconds: 30,
              },
              readinessProbe: {
                httpGet: { path: "/readyz", port: "healthz" },
                initialDelaySeconds: 5,
                periodSeconds: 10,
              },
              resources: { requests: { cpu: "100m", memory: "50Mi" } },
              securityContext: {
                privileged: false,
                capabilities: { add: ["NET_ADMIN", "NET_RAW"] },
              },
              env: [
                fromField("POD_NAME", "metadata.name"),
                fromField("POD_NAMESPACE", "metadata.namespace"),
                { name: "EVENT_QUEUE_DEPTH", value: "5000" },
                { name: "CONT_WHEN_CACHE_NOT_READY", value: "false" },
              ],
              volumeMounts: [
                { name: "run", mountPath: "/run/flannel" },
                config,
                { name: "xtables-lock", mountPath: "/run/xtables.lock" },
              ],
            },
          ],
          volumes: [
            { name: "run", hostPath: { path: "/run/flannel" } },
            { name: "cni-plugin", hostPath: { path: "/opt/cni/bin" } },
            { name: "cni", hostPath: { path: "/etc/cni/net.d" } },
            { name: "flannel-cfg", configMap: { name: configMap } },
            { name: "xtables-lock", hostPath: { path: "/run/xtables.lock", type: "FileOrCreate" } },
          ],
        },
      },
    },
  };
}
