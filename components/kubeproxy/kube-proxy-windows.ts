import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
// One module each: the package as a whole takes seconds to load.
import { DaemonSet } from "@pulumi/kubernetes/apps/v1/daemonSet.js";
import { ConfigMap } from "@pulumi/kubernetes/core/v1/configMap.js";

import type { HnsNetwork } from "../cni/pod-network.ts";
import { type ControlPlane, deletedWith } from "../controlplane/control-plane.ts";
import { kubeProxyImage, kubeProxyObjects } from "./kube-proxy-objects.ts";

export interface KubeProxyWindowsArgs {
  /** The cluster. kube-proxy has the same Kubernetes version. */
  readonly controlPlane: ControlPlane;
  /** The pod network on Windows nodes. Default: Calico. kube-proxy waits for the network if it is installed later. */
  readonly network?: HnsNetwork;
  /** kube-proxy image. Default: sig-windows-tools' image of exactly the cluster's version. */
  readonly image?: string;
}

/** Longest wait for the rollout. A Windows node may need 20 minutes to pull its first image. */
const rolloutTimeout = "25m";

/**
 * kube-proxy on every Windows node of a cluster, including nodes that join later.
 *
 * Creation waits until it runs on all existing Windows nodes, if there are any. To wait for the nodes of the same
 * program, pass them as `dependsOn`.
 *
 * Not responsible for the pod network that it waits for, nor for kube-proxy on Linux, which kubeadm installs.
 */
export class KubeProxyWindows extends pulumi.ComponentResource {
  /** For `dependsOn`: kube-proxy runs on every Windows node. */
  readonly resource: pulumi.Resource;

  constructor(name: string, args: KubeProxyWindowsArgs, opts?: pulumi.ComponentResourceOptions) {
    const { kubernetesVersion, provider, resource: cluster } = args.controlPlane;
    super("kindows:kubeproxy:KubeProxyWindows", name, { kubernetesVersion }, opts);
    const child = {
      parent: this,
      provider,
      // `replaceWith`, because a new cluster has none of these objects although the provider stays the same.
      ...deletedWith(args.controlPlane),
      replaceWith: [cluster],
    };
    const script = readFileSync(new URL("start.ps1", import.meta.url), "utf8");
    const image = args.image ?? kubeProxyImage(kubernetesVersion);
    const objects = kubeProxyObjects({ image, script, network: args.network });
    const configMap = new ConfigMap(name, objects.ConfigMap, child);
    this.resource = new DaemonSet(name, objects.DaemonSet, {
      ...child,
      dependsOn: pulumi
        .output(opts?.dependsOn ?? [])
        .apply((awaited) => [configMap, ...(Array.isArray(awaited) ? awaited : [awaited])]),
      customTimeouts: { create: rolloutTimeout, update: rolloutTimeout },
    });
    this.registerOutputs({});
  }
}
