import * as pulumi from "@pulumi/pulumi";
// One module: the package as a whole takes seconds to load.
import { ConfigMap } from "@pulumi/kubernetes/core/v1/configMap.js";
import { localRegistry } from "../../config/local-registry.ts";
import { registryName } from "../../config/names.ts";
import { observedAction } from "../host-action/host-action.ts";
import type { environment } from "./actions/run-registry.ts";
import { type ControlPlane, deletedWith } from "./control-plane.ts";

export interface LocalRegistryArgs {
  /** Prefix of the lab's names, e.g. `kindows-rehearsal`. */
  readonly lab: string;
  /** The lab's random id, which the container and its volume carry. */
  readonly labId: pulumi.Output<string>;
  /** Name of the Docker network. */
  readonly network: pulumi.Output<string>;
  /** The container's address in it. */
  readonly address: pulumi.Output<string>;
  /** The cluster whose users are told of the registry. */
  readonly controlPlane: ControlPlane;
}

/** The action's own limits are shorter, so that its errors say what it waited for. */
const timeouts = { create: "12m", update: "12m", delete: "5m" };

/**
 * An image registry in a container on this host, `localhost:5001`, as in kind's guide (https://kind.sigs.k8s.io/docs/user/local-registry/).
 * Its images are in a volume, and go with it.
 *
 * Not responsible for the nodes, which find it at its address by settings of their own.
 */
export class LocalRegistry extends pulumi.ComponentResource {
  constructor(name: string, args: LocalRegistryArgs, opts?: pulumi.ComponentResourceOptions) {
    super("kindows:controlplane:LocalRegistry", name, {}, opts);
    const { lab, labId: id, network, address, controlPlane } = args;
    const { image } = localRegistry;
    observedAction<typeof environment>(
      name,
      {
        create: "controlplane/run-registry",
        read: `controlplane/find-containers ${registryName(lab)}`,
        delete: "controlplane/remove-registry",
        environment: {
          REGISTRY: pulumi.output({ name: registryName(lab), lab, id, network, address, image }),
        },
        triggers: [network],
      },
      { parent: this, deleteBeforeReplace: true, customTimeouts: timeouts },
    );
    new ConfigMap(
      `${name}-hosting`,
      {
        // KEP-1755: by it, tools find where to push images for the cluster.
        metadata: { name: "local-registry-hosting", namespace: "kube-public" },
        data: {
          "localRegistryHosting.v1": [
            `host: "${localRegistry.host}"`,
            'help: "https://kind.sigs.k8s.io/docs/user/local-registry/"\n',
          ].join("\n"),
        },
      },
      {
        parent: this,
        provider: controlPlane.provider,
        ...deletedWith(controlPlane),
        replaceWith: [controlPlane.resource],
      },
    );
    this.registerOutputs({});
  }
}
