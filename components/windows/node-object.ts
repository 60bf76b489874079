import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
import type { ControlPlane } from "../controlplane/control-plane.ts";
import type { Machine } from "../machine/machine.ts";
import type { Taint } from "./node-registration.ts";

/** What the Node shall be. */
export interface NodeObjectArgs {
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** How long it may take to become Ready, or to be drained. */
  readonly readySeconds: number;
}

/**
 * The Node in the cluster: made by the join, Ready when this resource is there; drained and deleted when it goes,
 * unless the whole control plane does. Its labels and taints follow the settings: a kubelet gives its Node those it
 * registers with, and later changes never reach a Node that is there.
 */
export function nodeObject(
  name: string,
  machine: Machine,
  controlPlane: ControlPlane,
  { labels, taints, readySeconds }: NodeObjectArgs,
  options: { readonly parent: pulumi.Resource; readonly dependsOn: pulumi.Resource[] },
): local.Command {
  // The action ends by its own limit and says what it last saw; Pulumi's is for one that hangs.
  const limit = `${readySeconds + 60}s`;
  return new local.Command(
    `${name}-registration`,
    {
      create: "node --import tsx components/controlplane/actions/await-node.ts",
      delete: "node --import tsx components/controlplane/actions/remove-node.ts",
      environment: {
        KUBECONFIG_CONTENT: pulumi.secret(controlPlane.kubeconfig),
        NODE: JSON.stringify({ name: machine.name, timeoutSeconds: readySeconds, labels, taints }),
      },
      triggers: [machine.instanceId],
      logging: "none",
      addPreviousOutputInEnv: false,
    },
    {
      ...options,
      deletedWith: controlPlane.resource,
      // A new machine of the same name must not meet the Node of the old one.
      deleteBeforeReplace: true,
      customTimeouts: { create: limit, update: limit, delete: limit },
    },
  );
}
