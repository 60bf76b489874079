import * as pulumi from "@pulumi/pulumi";
import { observedAction } from "../host-action/host-action.ts";
import type { Machine } from "../machine/machine.ts";
import type { environment } from "./actions/mint-bootstrap-token.ts";
import type { ControlPlane } from "./control-plane.ts";

export interface BootstrapTokenArgs {
  readonly controlPlane: ControlPlane;
  /** The one that joins; its name is part of the token's description in the cluster. A new one needs a new token. */
  readonly machine: Pick<Machine, "name" | "instanceId" | "resource">;
  /** Life in minutes, 1 to 120. The join must be over by then. */
  readonly ttlMinutes: number;
}

/** The component that a token was in, named as its node. */
const formerType = "kindows:controlplane:BootstrapToken";

/**
 * A kubeadm bootstrap token for one join.
 *
 * Another life is for the next join. Who waits for the Node removes it from the cluster (actions/await-node.ts): that it
 * is gone is no drift while there is the Node. With neither, a refresh finds it gone, and the machine joins with another
 * one. That of a join which never ended dies by itself, within two hours.
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
        triggers: [machine.instanceId],
        logging: "none",
      },
      {
        parent: machine.resource,
        aliases: [{ name: machine.name, parent: pulumi.createUrn(machine.name, formerType) }],
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
  }
}
