import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
import { hostAction, observedAction } from "../host-action/host-action.ts";
import type { environment as registration } from "../controlplane/actions/await-node.ts";
import type { environment as readiness } from "../controlplane/actions/await-ready.ts";
import type { environment as removal } from "../controlplane/actions/remove-node.ts";
import { deletedWith } from "../controlplane/control-plane.ts";
import { tokenId } from "../controlplane/join-token.ts";
import type { Joining } from "./joining-machine.ts";
import { otherSteps } from "./step-title.ts";
import { stepTriggers } from "./step-trigger.ts";

export interface NodeObjectArgs {
  /**
   * Versions of the installed software. A change means that an upgrade is done, and makes the Node schedulable again.
   */
  readonly versions: Readonly<Record<string, string>>;
  /** SHA-256 of programs that a user may have replaced on the node. Default: none. */
  readonly programs?: pulumi.Output<Record<string, string>>;
  /** Time limit for the Node to become Ready, and to be drained. */
  readonly readySeconds: number;
  /** Whether to wait until it is Ready. Default: true. */
  readonly awaitsReady?: boolean | undefined;
  /** What the Node needs to become Ready, such as the pod network. The time limit starts after that. */
  readonly needs: readonly pulumi.Resource[];
  readonly parent: pulumi.Resource;
  readonly dependsOn: pulumi.Resource[];
}

/** Resources for the two states of the Node that others wait for. */
interface NodeObject {
  /** The Node exists, Ready or not, so pods of DaemonSets are scheduled on it. The same as `ready` if nothing waits for that. */
  readonly registered: pulumi.Resource;
  readonly ready: pulumi.Resource;
  /** The public part of the token that the node joined with. */
  readonly joinId: pulumi.Output<string>;
}

/**
 * The Node in the cluster, which the join creates. Deleting the resource drains and deletes the Node, unless the whole
 * control plane is deleted. Labels and taints are updated here, because kubelet sets them only when it registers the
 * Node. The bootstrap token is deleted once the Node exists.
 */
export function nodeObject(
  name: string,
  { machine, controlPlane, labels, taints, token }: Joining,
  {
    versions,
    programs,
    readySeconds,
    awaitsReady = true,
    needs,
    parent,
    dependsOn,
  }: NodeObjectArgs,
): NodeObject {
  // The action ends at its own time limit and reports what it last saw. Pulumi's limit is later, for an action that
  // hangs.
  const limit = `${readySeconds + 60}s`;
  const KUBECONFIG_CONTENT = pulumi.secret(controlPlane.kubeconfig);
  const node = { name: machine.name, timeoutSeconds: readySeconds };
  const request = { ...node, labels, taints: [...taints], versions };
  // The id is no secret. It is not part of NODE, so that a preview can show NODE before the token exists.
  const TOKEN_ID = pulumi.unsecret(token).apply(tokenId);
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
        NODE: pulumi
          .output(programs)
          .apply((known) => ({ ...request, ...(known !== undefined && { programs: known }) })),
        TOKEN_ID,
      },
      triggers: stepTriggers(machine, otherSteps.register),
      logging: "none",
    },
    { ...child, dependsOn },
  );
  const joinId = TOKEN_ID;
  if (!awaitsReady) return { registered, ready: registered, joinId };
  const ready = new local.Command(
    `${name}-ready`,
    hostAction<typeof readiness>({
      create: "controlplane/await-ready",
      environment: { KUBECONFIG_CONTENT, NODE: node, TOKEN_ID },
      triggers: stepTriggers(machine, otherSteps.awaitReady),
      logging: "none",
    }),
    {
      ...child,
      dependsOn: [registered, ...needs],
      replaceWith: [registered],
    },
  );
  return { registered, ready, joinId };
}
