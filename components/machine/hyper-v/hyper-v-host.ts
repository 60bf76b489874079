import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
import { hostAction } from "../../host-action/host-action.ts";
import type { environment } from "../actions/prepare-hyper-v-host.ts";
import { type HyperVHostParameter, ownerId } from "./parameters.ts";

export interface HyperVHostArgs {
  /** The host, but for whose machines it runs. */
  readonly host: Omit<HyperVHostParameter, "owner">;
  /** Public half of the key that logs in to the lab's machines: tells whose they are. */
  readonly loginPublicKey: pulumi.Input<string>;
}

/**
 * A Windows host with Hyper-V, made by somebody else: looked at before machines are made on it, and left without anything
 * of the lab when it is taken out.
 */
export class HyperVHost extends pulumi.ComponentResource {
  readonly parameter: pulumi.Output<HyperVHostParameter>;
  readonly resource: pulumi.Resource;

  constructor(name: string, args: HyperVHostArgs, opts?: pulumi.ComponentResourceOptions) {
    const { address, switchName, folder } = args.host;
    super("kindows:machine:HyperVHost", name, { address, switchName, folder }, opts);
    this.parameter = pulumi
      .output(args.loginPublicKey)
      .apply((key) => ({ ...args.host, owner: ownerId(key) }));
    this.resource = new local.Command(
      name,
      hostAction<typeof environment>({
        create: "machine/prepare-hyper-v-host",
        delete: "machine/prepare-hyper-v-host --remove",
        environment: { HYPER_V_HOST: this.parameter },
        // Nothing of the lab stays in a folder, or on a host, that is used no more.
        triggers: [args.host.hostKey, folder],
      }),
      { parent: this, customTimeouts: { create: "6m", update: "6m", delete: "11m" } },
    );
    this.registerOutputs({});
  }
}
