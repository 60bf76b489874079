import * as pulumi from "@pulumi/pulumi";
// One module each: the package as a whole takes seconds to load.
import { DaemonSet } from "@pulumi/kubernetes/apps/v1/daemonSet.js";
import { ConfigMap } from "@pulumi/kubernetes/core/v1/configMap.js";
import { Namespace } from "@pulumi/kubernetes/core/v1/namespace.js";
import { ServiceAccount } from "@pulumi/kubernetes/core/v1/serviceAccount.js";
import { ClusterRole } from "@pulumi/kubernetes/rbac/v1/clusterRole.js";
import { ClusterRoleBinding } from "@pulumi/kubernetes/rbac/v1/clusterRoleBinding.js";

import type { ControlPlane } from "../../controlplane/control-plane.ts";
import type { HnsNetwork, PodNetwork, PodNetworkSettings } from "../pod-network.ts";
import { accessInExisting, accessOfNodes } from "../windows-access.ts";
import { flannelOnHns } from "./existing.ts";
import { cniConf, netConf, type FlannelBackend } from "./flannel-config.ts";
import {
  flannelAccount,
  flannelBinding,
  flannelConfigMap,
  flannelConfigMapName,
  flannelDaemonSet,
  flannelNamespace,
  flannelRole,
} from "./flannel-objects.ts";
import { isRehearsed } from "./settings.ts";

export interface FlannelArgs {
  /** The cluster; created without a CNI. */
  readonly controlPlane: ControlPlane;
  /** How packets get from node to node. */
  readonly backend: FlannelBackend;
  /** Whether there are Windows nodes that it is installed on. */
  readonly windows: boolean;
}

/** Flannel according to the settings of a lab. */
export function install(controlPlane: ControlPlane, settings: PodNetworkSettings): Flannel {
  const { backend } = settings.cni.flannel;
  const windows = settings.nodes.length > 0 && !isRehearsed(settings);
  return new Flannel("flannel", { controlPlane, backend, windows });
}

/**
 * It is a service there with kubelet's own credentials, which renew themselves, instead of a token that stays on the disk
 * for a year. A kubelet may write its own Node's status, for Flannel's annotations, but since Kubernetes 1.32
 * (AuthorizeNodeWithSelectors) it may not read the other Nodes, which have their ranges.
 */
export const windowsAccess = {
  name: "flannel-windows-nodes",
  labels: { "k8s-app": "flannel" },
  resources: ["nodes"],
};

/** What an existing cluster with Flannel needs for Windows nodes. */
export const complete = accessInExisting(windowsAccess);

/** Longest wait for its pods: two images over a slow line. */
const rolloutTimeout = "15m";

/**
 * Flannel on the Linux nodes of a cluster: VXLAN with the VNI and port that Windows requires, or plain routes; and the
 * permissions of its service on Windows nodes.
 *
 * Not responsible for that service: it is installed by the node's own steps (node-steps.ts).
 */
export class Flannel extends pulumi.ComponentResource implements PodNetwork {
  readonly resource: pulumi.Resource;
  readonly windows: HnsNetwork | undefined;

  constructor(name: string, args: FlannelArgs, opts?: pulumi.ComponentResourceOptions) {
    const { controlPlane, backend, windows } = args;
    super("kindows:cni:Flannel", name, { backend }, opts);
    const { provider, resource: cluster, podCidr } = controlPlane;
    const child = { parent: this, provider, deletedWith: cluster, replaceWith: [cluster] };
    const files = { netConf: netConf(podCidr, backend), cniConf: cniConf() };

    const namespace = new Namespace(name, flannelNamespace(), child);
    const inNamespace = { ...child, dependsOn: [namespace] };
    const account = new ServiceAccount(name, flannelAccount(), inNamespace);
    const role = new ClusterRole(name, flannelRole(), child);
    const binding = new ClusterRoleBinding(name, flannelBinding(), { ...child, dependsOn: [role] });
    const configMap = new ConfigMap(name, flannelConfigMap(files), inNamespace);
    const access = windows ? [accessOfNodes(name, windowsAccess, child)] : [];
    this.windows = windows ? flannelOnHns(backend) : undefined;
    this.resource = new DaemonSet(name, flannelDaemonSet(flannelConfigMapName(files)), {
      ...child,
      dependsOn: [account, binding, configMap, ...access],
      customTimeouts: { create: rolloutTimeout, update: rolloutTimeout },
    });
    this.registerOutputs({});
  }

  awaitOnWindows(): void {
    // Each node's own steps wait for its part.
  }
}
