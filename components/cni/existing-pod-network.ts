import * as pulumi from "@pulumi/pulumi";
import type { ControlPlane } from "../controlplane/control-plane.ts";
import { daemonSetOnNodes, type JoinedToCluster } from "../node/daemon-set-on-nodes.ts";
import { inExisting } from "./pod-networks.ts";
import type { HnsNetwork, PodNetwork, PodNetworkComponents } from "./pod-network.ts";
import type { WindowsPodNetwork } from "./windows-pod-network.ts";

export interface ExistingPodNetworkArgs extends Pick<PodNetworkComponents, "complete"> {
  readonly controlPlane: ControlPlane;
  readonly network: WindowsPodNetwork;
}

/**
 * The pod network of an existing cluster. If allowed, adds what the cluster lacks for Windows nodes. When the stack is
 * destroyed, changes in the cluster's own objects stay, and objects created here are deleted.
 */
export class ExistingPodNetwork extends pulumi.ComponentResource implements PodNetwork {
  readonly resource: pulumi.Resource;
  readonly windows: HnsNetwork | undefined;
  readonly #name: string;
  readonly #args: ExistingPodNetworkArgs;

  constructor(name: string, args: ExistingPodNetworkArgs, opts?: pulumi.ComponentResourceOptions) {
    const { controlPlane, network, complete } = args;
    super("kindows:cni:ExistingPodNetwork", name, { kind: network.kind }, opts);
    this.#name = name;
    this.#args = args;
    this.resource = complete?.(this, name, controlPlane, network) ?? controlPlane.resource;
    this.windows = inExisting.get(network.kind)?.hnsNetwork(network);
    this.registerOutputs({});
  }

  awaitOnWindows(nodes: readonly JoinedToCluster[]): void {
    const { controlPlane, network } = this.#args;
    const daemonSet = inExisting.get(network.kind)?.windowsDaemonSet;
    if (daemonSet === undefined || nodes.length === 0) return;
    daemonSetOnNodes(`${this.#name}-windows`, {
      ...{ controlPlane, daemonSet, nodes, version: network },
      ...{ parent: this, dependsOn: [this.resource] },
    });
  }
}
