import { createHash } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
// One module each: the package as a whole takes seconds to load.
import { DaemonSet } from "@pulumi/kubernetes/apps/v1/daemonSet.js";
import { ConfigMap } from "@pulumi/kubernetes/core/v1/configMap.js";
import { Namespace } from "@pulumi/kubernetes/core/v1/namespace.js";
import { ServiceAccount } from "@pulumi/kubernetes/core/v1/serviceAccount.js";
import { ClusterRole } from "@pulumi/kubernetes/rbac/v1/clusterRole.js";
import { ClusterRoleBinding } from "@pulumi/kubernetes/rbac/v1/clusterRoleBinding.js";

import type { ControlPlane } from "../../controlplane/control-plane.ts";
import { manifest, type Manifest } from "../../manifest.ts";
import {
  type HnsNetwork,
  joinsWindows,
  type PodNetwork,
  type PodNetworkSettings,
} from "../pod-network.ts";
import { accessInExisting, accessOfNodes } from "../windows-access.ts";
import { flannelOnHns } from "./existing.ts";
import { cniConf, netConf, type FlannelBackend } from "./flannel-config.ts";
import { flannelImages } from "./release.ts";
import { type FlannelSection } from "./settings.ts";

export interface FlannelArgs {
  /** The cluster; created without a CNI. */
  readonly controlPlane: ControlPlane;
  /** How packets get from node to node. */
  readonly backend: FlannelBackend;
  /** Whether Windows nodes get Flannel too. */
  readonly windows: boolean;
}

export function install(
  controlPlane: ControlPlane,
  settings: PodNetworkSettings<FlannelSection>,
  opts: pulumi.ComponentResourceOptions,
): Flannel {
  const { backend } = settings.cni.flannel;
  return new Flannel("flannel", { controlPlane, backend, windows: joinsWindows(settings) }, opts);
}

/**
 * Flannel's service on Windows nodes uses the kubelet's credentials, which are renewed automatically, instead of a
 * token that stays on the disk for a year. A kubelet may write its own Node's status, where Flannel puts annotations.
 * Since Kubernetes 1.32 (AuthorizeNodeWithSelectors) it may not read other Nodes, from which Flannel learns their pod
 * ranges.
 */
export const windowsAccess = {
  name: "flannel-windows-nodes",
  labels: { "k8s-app": "flannel" },
  resources: ["nodes"],
};

export const complete = accessInExisting(windowsAccess);

/**
 * Flannel's objects in a cluster. The ConfigMap's name contains a hash of its content, so a change creates a new
 * ConfigMap and rolls out like any change of a pod template.
 */
export function flannelObjects(files: {
  readonly netConf: object;
  readonly cniConf: object;
}): Manifest {
  const digest = createHash("sha256").update(JSON.stringify(files)).digest("hex").slice(0, 8);
  return manifest(new URL("flannel.yaml", import.meta.url), {
    configMap: `kube-flannel-cfg-${digest}`,
    cniConf: JSON.stringify(files.cniConf, undefined, 2),
    netConf: JSON.stringify(files.netConf, undefined, 2),
    pluginImage: flannelImages.cniPlugin,
    daemonImage: flannelImages.daemon,
  });
}

/** Longest wait for Flannel's pods, including the pull of two images over a slow connection. */
const rolloutTimeout = "15m";

/**
 * Flannel on the Linux nodes of a cluster, with VXLAN (VNI and port as Windows requires) or plain routes, and the
 * permissions that Flannel's service on Windows nodes needs.
 *
 * Not responsible for that service: the node's own steps (node-steps.ts) install it and wait for it.
 */
export class Flannel extends pulumi.ComponentResource implements PodNetwork {
  readonly resource: pulumi.Resource;
  readonly windows: HnsNetwork | undefined;

  constructor(name: string, args: FlannelArgs, opts?: pulumi.ComponentResourceOptions) {
    const { controlPlane, backend, windows } = args;
    super("kindows:cni:Flannel", name, { backend }, opts);
    const { provider, resource: cluster, podCidr } = controlPlane;
    const child = { parent: this, provider, deletedWith: cluster, replaceWith: [cluster] };
    const objects = flannelObjects({ netConf: netConf(podCidr, backend), cniConf: cniConf() });

    const namespace = new Namespace(name, objects.Namespace, child);
    const inNamespace = { ...child, dependsOn: [namespace] };
    const account = new ServiceAccount(name, objects.ServiceAccount, inNamespace);
    const role = new ClusterRole(name, objects.ClusterRole, child);
    const afterRole = { ...child, dependsOn: [role] };
    const binding = new ClusterRoleBinding(name, objects.ClusterRoleBinding, afterRole);
    const configMap = new ConfigMap(name, objects.ConfigMap, inNamespace);
    const access = windows ? [accessOfNodes(name, windowsAccess, child)] : [];
    this.windows = windows ? flannelOnHns(backend) : undefined;
    this.resource = new DaemonSet(name, objects.DaemonSet, {
      ...child,
      dependsOn: [account, binding, configMap, ...access],
      customTimeouts: { create: rolloutTimeout, update: rolloutTimeout },
    });
    this.registerOutputs({});
  }
}
