import * as pulumi from "@pulumi/pulumi";
import { observedAction } from "../host-action/host-action.ts";
import type { Machine } from "../machine/machine.ts";
import { otherSteps } from "../node/step-title.ts";
import { stepTriggers } from "../node/step-trigger.ts";
import type { environment } from "./actions/mint-bootstrap-token.ts";
import type { ControlPlane } from "./control-plane.ts";

export interface BootstrapTokenArgs {
  readonly controlPlane: ControlPlane;
  /**
   * The machine that joins. Its name is part of the token's description in the cluster. A new machine gets a new token.
   */
  readonly machine: Pick<Machine, "name" | "instanceId" | "resource">;
  /** Lifetime in minutes, 1 to 120. The join must be finished by then. */
  readonly ttlMinutes: number;
}

/**
 * A kubeadm bootstrap token for one join.
 *
 * actions/await-node.ts deletes it from the cluster once the Node is registered. As long as the Node exists, a refresh
 * does not report the deleted token as drift; without the Node it does, and the machine joins again with a new token.
 * The token of an unfinished join expires by itself. A changed `ttlMinutes` takes effect with the next token.
 */
export class BootstrapToken {
  /** `abcdef.0123456789abcdef`; secret. */
  readonly token: pulumi.Output<string>;

  constructor(name: string, { controlPlane, machine, ttlMinutes }: BootstrapTokenArgs) {
    const cluster = controlPlane.resource;
    const minted = observedAction<typeof environment>(
      name,
      {
        create: "controlplane/mint-bootstrap-token",
        read: `controlplane/find-node ${machine.name} token`,
        environment: {
          KUBECONFIG_CONTENT: controlPlane.kubeconfig,
          TOKEN: { ttlMinutes, description: `kindows: join of ${machine.name}` },
        },
        triggers: stepTriggers(machine, otherSteps.mintToken),
        logging: "none",
      },
      {
        parent: machine.resource,
        dependsOn: cluster,
        deletedWith: cluster,
        replaceWith: [cluster],
        // A changed environment must not mint a new token, because the node would join again with it. A token that is
        // replaced for another reason gets the current environment.
        ignoreChanges: ["environment"],
        additionalSecretOutputs: ["stdout"],
        customTimeouts: { create: "3m", update: "3m" },
      },
    );
    this.token = pulumi.secret(minted.stdout);
  }
}
