import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
import { hostAction, observedAction } from "../host-action/host-action.ts";
import type { environment as registration } from "../controlplane/actions/await-node.ts";
import type { environment as readiness } from "../controlplane/actions/await-ready.ts";
import type { environment as removal } from "../controlplane/actions/remove-node.ts";
import { deletedWith } from "../controlplane/control-plane.ts";
import { tokenId } from "../controlplane/join-token.ts";
import type { Joining } from "./joining-machine.ts";

export interface NodeObjectArgs {
  /** Versions on it; a change ends an upgrade, and the Node takes pods again. */
  readonly versions: Readonly<Record<string, string>>;
  /** How long it may take to become Ready, or to be drained. */
  readonly readySeconds: number;
  /** What else it needs to become Ready: the pod network. The time starts after that. */
  readonly needs: readonly pulumi.Resource[];
  readonly parent: pulumi.Resource;
  readonly dependsOn: pulumi.Resource[];
}

/** The Node in the two states that others wait for. */
export interface NodeObject {
  /** It exists, Ready or not: pods of DaemonSets are being scheduled. */
  readonly registered: pulumi.Resource;
  readonly ready: pulumi.Resource;
}

/**
 * The Node in the cluster: created by the join; drained and deleted with this resource, unless the whole control plane is
 * deleted. Keeps its labels and taints in line with the settings, as kubelet sets them only when it registers the Node.
 * The token with which the machine joined is deleted once the Node exists.
 */
export function nodeObject(
  name: string,
  { machine, controlPlane, labels, taints, token }: Joining,
  { versions, readySeconds, needs, parent, dependsOn }: NodeObjectArgs,
): NodeObject {
  // The action ends by its own limit and reports what it last saw; Pulumi's is for one that hangs.
  const limit = `${readySeconds + 60}s`;
  const KUBECONFIG_CONTENT = pulumi.secret(controlPlane.kubeconfig);
  const node = { name: machine.name, timeoutSeconds: readySeconds };
  // Separate from NODE, which a preview then shows even before the token exists. The id is no secret.
  const TOKEN_ID = pulumi.unsecret(token).apply(tokenId);
  const more = { triggers: [machine.instanceId], logging: "none" as const };
  const child = {
    parent,
    ...deletedWith(controlPlane),
    // A new machine of the same name must not find the Node of the old one.
    deleteBeforeReplace: true,
    customTimeouts: { create: limit, update: limit, delete: limit },
  };
  const registered = observedAction<typeof registration & typeof removal>(
    `${name}-registration`,
    {
      create: "controlplane/await-node",
      read: `controlplane/find-node ${machine.name}`,
      delete: "controlplane/remove-node",
      environment: {
        KUBECONFIG_CONTENT,
        NODE: { ...node, labels, taints: [...taints], versions },
        TOKEN_ID,
      },
      ...more,
    },
    { ...child, dependsOn },
  );
  const ready = new local.Command(
    `${name}-ready`,
    hostAction<typeof readiness>({
      create: "controlplane/await-ready",
      environment: { KUBECONFIG_CONTENT, NODE: node, TOKEN_ID },
      ...more,
    }),
    {
      ...child,
      dependsOn: [registered, ...needs],
      replaceWith: [registered],
    },
  );
  return { registered, ready };
}
