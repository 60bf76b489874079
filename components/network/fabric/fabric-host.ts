import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
import type { Settings } from "../../../config/settings.ts";
import type { Facts } from "../../facts.ts";
import { hostAction } from "../../host-action/host-action.ts";
import type { environment } from "../actions/apply-fabric.ts";
import { fabricEnds } from "./fabric.ts";
import { type FabricHostParameter, fabricScript, fabricUnit, serverOf } from "./host-script.ts";
import { fabricNamed } from "./registry.ts";

interface FabricHostArgs {
  readonly host: FabricHostParameter;
  /** What an update would leave behind: names, and where they are. */
  readonly triggers: readonly string[];
  readonly dependsOn: pulumi.Resource[];
}

/** A host's end of the lab's network fabric: changed whenever a host comes or goes, and removed with the host's last node. */
class FabricHost extends pulumi.ComponentResource {
  /** For `dependsOn`: the host's machines are on the segment. */
  readonly resource: pulumi.Resource;

  constructor(
    name: string,
    { host, triggers, dependsOn }: FabricHostArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    const facts: Facts<"kindows:network:FabricHost"> = { host: host.name };
    super("kindows:network:FabricHost", name, { facts }, opts);
    this.resource = new local.Command(
      name,
      hostAction<typeof environment>({
        create: "network/apply-fabric",
        delete: "network/apply-fabric --remove",
        environment: { FABRIC_HOST: host },
        triggers: [...triggers],
      }),
      { parent: this, deleteBeforeReplace: true, dependsOn },
    );
    this.registerOutputs({});
  }
}

/**
 * The fabric that kindows makes for a lab, by the names of its hosts; empty if the user makes it, or all nodes are on this
 * host.
 *
 * @param isAway whether a host does not answer: it remains a peer of the others.
 * @param network what makes this host's bridge.
 */
export function labFabric(
  settings: Settings,
  isAway: (host: string) => boolean,
  network: pulumi.Resource,
): ReadonlyMap<string, pulumi.Resource> {
  const { fabric } = settings.network;
  const { onHost } = fabricNamed(fabric);
  if (onHost === undefined) {
    return new Map();
  }
  const ends = fabricEnds(settings).filter(({ host }) => !isAway(host.name));
  return new Map(
    ends.map((end) => {
      const { name } = end.host;
      const hypervisor = settings.hypervisors.find((one) => one.name === name);
      const host = {
        name,
        server: hypervisor && serverOf(hypervisor),
        lab: end.lab,
        script: fabricScript(onHost, end),
        unit: fabricUnit(onHost, end),
      };
      const triggers = [fabric, host.server?.host ?? "", end.host.bridge, end.lab];
      const dependsOn = end.isLocal ? [network] : [];
      return [name, new FabricHost(`fabric-${name}`, { host, triggers, dependsOn }).resource];
    }),
  );
}
