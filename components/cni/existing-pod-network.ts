import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
import { ClusterRole } from "@pulumi/kubernetes/rbac/v1/clusterRole.js";
import { ClusterRoleBinding } from "@pulumi/kubernetes/rbac/v1/clusterRoleBinding.js";
import type { ControlPlane } from "../controlplane/control-plane.ts";
import type { ClusterChange } from "../controlplane/existing/cluster-change.ts";
import type { FoundPodNetwork } from "../controlplane/existing/judge-pod-network.ts";
import { goesWith } from "../controlplane/goes-with.ts";
import type { environment } from "../controlplane/actions/apply-change.ts";
import { hostAction } from "../host-action/host-action.ts";
import { hnsNetwork } from "./calico/calico.ts";
import { windowsNodesBinding, windowsNodesRole } from "./flannel/windows-access.ts";
import { flannelHnsNetwork } from "./flannel/windows-files.ts";
import type { HnsNetwork, PodNetwork } from "./pod-network.ts";

export interface ExistingPodNetworkArgs {
  readonly controlPlane: ControlPlane;
  /** What the cluster has, and what may be set in it. */
  readonly network: FoundPodNetwork;
}

/**
 * The pod network of a cluster that was there before: what it lacks for Windows nodes, as far as that may be set, and
 * nothing else. What was set in the cluster's own objects stays set when the stack goes; objects made here go.
 */
export class ExistingPodNetwork extends pulumi.ComponentResource implements PodNetwork {
  readonly resource: pulumi.Resource;
  readonly windows: HnsNetwork | undefined;

  constructor(name: string, args: ExistingPodNetworkArgs, opts?: pulumi.ComponentResourceOptions) {
    const { controlPlane, network } = args;
    super("kindows:cni:ExistingPodNetwork", name, { kind: network.kind }, opts);
    const cluster = controlPlane.resource;
    switch (network.kind) {
      case "calico":
        this.windows = hnsNetwork;
        this.resource = this.#changes(name, controlPlane, network.changes).at(-1) ?? cluster;
        break;
      case "flannel":
        this.windows = { name: flannelHnsNetwork(network.backend), endpoint: undefined };
        this.resource = this.#accessOfNodes(name, controlPlane);
        break;
      case "none":
        this.windows = undefined;
        this.resource = cluster;
    }
    this.registerOutputs({});
  }

  awaitOnWindows(): void {
    // Each node waits until it is Ready itself, which it is not without the network.
  }

  /** One after the other: Calico's operator wants the first before the second. */
  #changes(
    name: string,
    { kubeconfig, resource }: ControlPlane,
    changes: readonly ClusterChange[],
  ): pulumi.Resource[] {
    let before = resource;
    return changes.map(({ object, path, fields }) => {
      const suffix = object.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
      before = new local.Command(
        `${name}-${suffix}`,
        hostAction<typeof environment>({
          create: "controlplane/apply-change",
          environment: {
            KUBECONFIG_CONTENT: pulumi.secret(kubeconfig),
            CHANGE: { object, path, fields },
          },
        }),
        {
          parent: this,
          dependsOn: [before],
          replaceWith: [resource],
          customTimeouts: { create: "2m", update: "2m" },
        },
      );
      return before;
    });
  }

  #accessOfNodes(name: string, controlPlane: ControlPlane): pulumi.Resource {
    const { provider, resource } = controlPlane;
    const child = { parent: this, provider, replaceWith: [resource], ...goesWith(controlPlane) };
    const role = new ClusterRole(`${name}-windows`, windowsNodesRole(), child);
    return new ClusterRoleBinding(`${name}-windows`, windowsNodesBinding(), {
      ...child,
      dependsOn: [role],
    });
  }
}
