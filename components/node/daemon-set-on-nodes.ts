import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";

import type { DaemonSetName } from "../../host/kubernetes/daemon-set.ts";
import { type ControlPlane, deletedWith } from "../controlplane/control-plane.ts";
import type { environment } from "../controlplane/actions/await-daemon-set.ts";
import { hostAction } from "../host-action/host-action.ts";

/** A node of this program. */
export interface JoinedToCluster {
  /** The Node's name. */
  readonly name: string;
  /** An id that another join changes. */
  readonly joinId: pulumi.Output<string>;
  /** For `dependsOn`: the node is in the cluster, Ready or not. */
  readonly registered: pulumi.Resource;
}

export interface DaemonSetOnNodesArgs {
  readonly controlPlane: ControlPlane;
  readonly daemonSet: DaemonSetName;
  readonly nodes: readonly JoinedToCluster[];
  /** What the DaemonSet is made from; a change waits again. */
  readonly version: unknown;
  readonly parent: pulumi.Resource;
  readonly dependsOn: readonly pulumi.Resource[];
}

/**
 * Longest wait, in seconds. Calico's own tests allow 600 s for its Windows pods; a node over a slow connection may need 20
 * minutes to pull its first image.
 */
const timeoutSeconds = 1500;

/**
 * Waits until a DaemonSet runs on the nodes of this program, again after another join or another version. Nodes that
 * the program did not join are not waited for.
 */
export function daemonSetOnNodes(name: string, args: DaemonSetOnNodesArgs): pulumi.Resource {
  const { controlPlane, daemonSet, nodes, version, parent, dependsOn } = args;
  // The action ends at its own limit and reports what it last saw. Pulumi's limit is for an action that hangs.
  const limit = `${timeoutSeconds + 60}s`;
  return new local.Command(
    name,
    hostAction<typeof environment>({
      create: "controlplane/await-daemon-set",
      environment: {
        KUBECONFIG_CONTENT: pulumi.secret(controlPlane.kubeconfig),
        DAEMON_SET: {
          ...daemonSet,
          nodes: nodes.map((node) => node.name),
          version,
          timeoutSeconds,
        },
        // Not part of DAEMON_SET, so that a preview can show that before a node has joined.
        JOIN_IDS: pulumi.all(nodes.map(({ joinId }) => joinId)).apply((ids) => ids.join(" ")),
      },
    }),
    {
      parent,
      ...deletedWith(controlPlane),
      replaceWith: [controlPlane.resource],
      dependsOn: [...dependsOn, ...nodes.map(({ registered }) => registered)],
      customTimeouts: { create: limit, update: limit },
    },
  );
}
