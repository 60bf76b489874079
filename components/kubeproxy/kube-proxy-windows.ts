import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
// One module each: the package as a whole takes seconds to load.
import { DaemonSet } from "@pulumi/kubernetes/apps/v1/daemonSet.js";
import { ConfigMap } from "@pulumi/kubernetes/core/v1/configMap.js";

import type { HnsNetwork } from "../cni/pod-network.ts";
import { type ControlPlane, deletedWith } from "../controlplane/control-plane.ts";
import { daemonSetOnNodes, type JoinedToCluster } from "../node/daemon-set-on-nodes.ts";
import { kubeProxyImage, kubeProxyName, kubeProxyObjects } from "./kube-proxy-objects.ts";

export interface KubeProxyWindowsArgs {
  /** The cluster. kube-proxy has the same Kubernetes version. */
  readonly controlPlane: ControlPlane;
  /** The pod network on Windows nodes. Default: Calico. kube-proxy waits for the network if it is installed later. */
  readonly network?: HnsNetwork;
  /**
   * The nodes of the same program on which kube-proxy must run before this component is ready. Default: all Windows
   * nodes that the cluster has when the DaemonSet is created.
   */
  readonly nodes?: readonly JoinedToCluster[];
  /** kube-proxy image. Default: sig-windows-tools' image of exactly the cluster's version. */
  readonly image?: string;
  /** Names of Secrets in kube-system with which the image is pulled. Default: none. */
  readonly pullSecrets?: readonly string[];
  /**
   * The API server, `https://HOST:PORT`, if the cluster's own kubeconfig for kube-proxy names one that Windows nodes do
   * not reach, such as a proxy on every Linux node. Default: that kubeconfig.
   */
  readonly server?: string;
}

/** Longest wait for the rollout, in seconds. A Windows node may need 20 minutes to pull its first image. */
const rolloutSeconds = 1500;

/**
 * kube-proxy on every Windows node of a cluster, including nodes that join later.
 *
 * It is ready when it runs on the given nodes, or else on all Windows nodes that exist.
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
    const { nodes, network, server, pullSecrets } = args;
    const isAwaited = nodes === undefined;
    const objects = kubeProxyObjects({
      ...{ image, script, network, server, pullSecrets, isAwaited },
    });
    const configMap = new ConfigMap(name, objects.ConfigMap, child);
    const limit = `${rolloutSeconds}s`;
    const daemonSet = new DaemonSet(name, objects.DaemonSet, {
      ...child,
      dependsOn: [configMap],
      customTimeouts: { create: limit, update: limit },
    });
    this.resource =
      isAwaited || nodes.length === 0
        ? daemonSet
        : daemonSetOnNodes(`${name}-on-nodes`, {
            controlPlane: args.controlPlane,
            daemonSet: kubeProxyName,
            nodes,
            version: createHash("sha256").update(JSON.stringify(objects.DaemonSet)).digest("hex"),
            parent: this,
            dependsOn: [daemonSet],
          });
    this.registerOutputs({});
  }
}
