import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";

import type { Facts } from "../facts.ts";
import { hostAction } from "../host-action/host-action.ts";
import type { environment } from "./actions/mint-bootstrap-token.ts";
import type { ControlPlane } from "./control-plane.ts";

export interface BootstrapTokenArgs {
  readonly controlPlane: ControlPlane;
  /** Name of the node it is for; part of the token's description in the cluster. */
  readonly nodeName: string;
  /** Changes when the machine is a new one: only then is a new token needed. */
  readonly instanceId: pulumi.Input<string>;
  /** Life in minutes, 1 to 120. The join must be over by then. */
  readonly ttlMinutes: number;
}

/**
 * A kubeadm bootstrap token for one join.
 *
 * It is not looked at again: that it is gone is no drift, and another life is for the next join; a node that has joined
 * needs none. Who waits for the Node removes it from the cluster (actions/await-node.ts); that of a join which never
 * ended dies by itself, within two hours.
 */
export class BootstrapToken extends pulumi.ComponentResource {
  /** `abcdef.0123456789abcdef`; secret. */
  readonly token: pulumi.Output<string>;

  constructor(name: string, args: BootstrapTokenArgs, opts?: pulumi.ComponentResourceOptions) {
    const facts: Facts<"kindows:controlplane:BootstrapToken"> = { node: args.nodeName };
    super("kindows:controlplane:BootstrapToken", name, { facts }, opts);
    const cluster = args.controlPlane.resource;
    const minted = new local.Command(
      name,
      hostAction<typeof environment>({
        create: "controlplane/mint-bootstrap-token",
        environment: {
          KUBECONFIG_CONTENT: args.controlPlane.kubeconfig,
          TOKEN: {
            ttlMinutes: args.ttlMinutes,
            description: `kindows: join of ${args.nodeName}`,
          },
        },
        triggers: [args.instanceId],
        logging: "none",
      }),
      {
        parent: this,
        dependsOn: cluster,
        deletedWith: cluster,
        replaceWith: [cluster],
        // Minting another one would have the node join with it again. One that is replaced takes what is asked for then.
        ignoreChanges: ["environment"],
        additionalSecretOutputs: ["stdout"],
        customTimeouts: { create: "3m", update: "3m" },
      },
    );
    this.token = pulumi.secret(minted.stdout);
    this.registerOutputs({ token: this.token });
  }
}
