import * as pulumi from "@pulumi/pulumi";
import type { ControlPlane } from "../controlplane/control-plane.ts";
import { inExisting } from "./registry.ts";
import type {
  HnsNetwork,
  PodNetwork,
  PodNetworkComponents,
  WindowsPodNetwork,
} from "./pod-network.ts";

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

  constructor(name: string, args: ExistingPodNetworkArgs, opts?: pulumi.ComponentResourceOptions) {
    const { controlPlane, network, complete } = args;
    super("kindows:cni:ExistingPodNetwork", name, { kind: network.kind }, opts);
    this.resource = complete?.(this, name, controlPlane, network) ?? controlPlane.resource;
    this.windows = inExisting.get(network.kind)?.hnsNetwork(network);
    this.registerOutputs({});
  }
}
