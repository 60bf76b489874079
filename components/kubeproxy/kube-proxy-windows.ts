import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
// One module each: the package as a whole takes seconds to load.
import { DaemonSet } from "@pulumi/kubernetes/apps/v1/daemonSet.js";
import { ConfigMap } from "@pulumi/kubernetes/core/v1/configMap.js";

import type { HnsNetwork } from "../cni/pod-network.ts";
import { type ControlPlane, deletedWith } from "../controlplane/control-plane.ts";
import { kubeProxyImage, kubeProxyObjects } from "./kube-proxy-objects.ts";

export interface KubeProxyWindowsArgs {
  /** The cluster; its Kubernetes version is kube-proxy's. */
  readonly controlPlane: ControlPlane;
  /** The pod network on Windows nodes. Default: it waits for Calico, in case that is installed later. */
  readonly network?: HnsNetwork;
  /** Another kube-proxy image. Default: the one of exactly the cluster's version. */
  readonly image?: string;
}

/** Longest wait for the rollout: a Windows node pulls its first image in up to 20 minutes. */
const rolloutTimeout = "25m";

/**
 * kube-proxy on every Windows node of a cluster, including nodes that join later.
 *
 * It is created once it runs on all existing nodes, of which there may be none. `dependsOn` the nodes of the program, so
 * that they are included.
 *
 * Not responsible for the pod network it waits for, nor for kube-proxy on Linux, which kubeadm installs.
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
      // A new cluster has none of these objects, although the provider stays the same.
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
