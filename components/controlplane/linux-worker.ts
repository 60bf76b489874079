import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";

import type { Facts } from "../facts.ts";
import { hostAction } from "../host-action/host-action.ts";
import type { environment } from "./actions/add-linux-worker.ts";

export interface LinuxWorkerArgs {
  /** Name of container and node, e.g. `kindows-rehearsal-worker-1`. */
  readonly nodeName: string;
  /** Name of the kind cluster. */
  readonly cluster: string;
  /** kind node image; the control planes' own. */
  readonly image: string;
  /** Name of the Docker network. */
  readonly network: pulumi.Input<string>;
  /** `host:port` of the API server. */
  readonly endpoint: string;
  /** Admin kubeconfig; secret. */
  readonly kubeconfig: pulumi.Output<string>;
  /** Longest wait for the node to be Ready once it has joined, in seconds. */
  readonly readySeconds: number;
  /** The cluster's own resource: a worker goes with it, and is made again with it. */
  readonly clusterResource: pulumi.Resource;
}

/**
 * A Linux worker in a container of its own, joined to a kind cluster that is up.
 *
 * kind makes workers only together with the cluster; this one comes and goes by itself, and touches nothing else.
 */
export class LinuxWorker extends pulumi.ComponentResource {
  readonly nodeName: string;
  /** For `dependsOn`: the node is Ready. */
  readonly resource: pulumi.Resource;

  constructor(name: string, args: LinuxWorkerArgs, opts?: pulumi.ComponentResourceOptions) {
    const facts: Facts<"kindows:controlplane:LinuxWorker"> = { name: args.nodeName };
    super("kindows:controlplane:LinuxWorker", name, { facts }, opts);
    const { nodeName, cluster, image, network, endpoint, readySeconds } = args;
    // What comes before: the image, systemd, and the join.
    const limit = `${String(720 + readySeconds)}s`;
    const joined = new local.Command(
      name,
      hostAction<typeof environment>({
        create: "controlplane/add-linux-worker",
        delete: "controlplane/remove-linux-worker",
        environment: {
          KUBECONFIG_CONTENT: args.kubeconfig,
          WORKER: pulumi.output({
            name: nodeName,
            cluster,
            image,
            network,
            endpoint,
            readySeconds,
          }),
        },
        triggers: [image],
      }),
      {
        parent: this,
        dependsOn: args.clusterResource,
        deletedWith: args.clusterResource,
        replaceWith: [args.clusterResource],
        deleteBeforeReplace: true,
        customTimeouts: { create: limit, update: limit, delete: "5m" },
      },
    );
    this.nodeName = nodeName;
    this.resource = joined;
    this.registerOutputs({ nodeName });
  }
}
