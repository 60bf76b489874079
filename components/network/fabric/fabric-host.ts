import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
import type { Settings } from "../../../config/settings.ts";
import type { Facts } from "../../facts.ts";
import { hostAction } from "../../host-action/host-action.ts";
import { sshServerOf } from "../../machine/libvirt/hypervisor-connections.ts";
import type { environment } from "../actions/apply-fabric.ts";
import { type FabricEnd, fabricEnds, type FabricOnHost } from "./fabric.ts";
import { fabricScript, fabricUnit } from "./host-script.ts";
import { fabrics } from "./registry.ts";

/** A host's end of the lab's network fabric: changed whenever a host comes or goes, and removed with the host's last node. */
class FabricHost extends pulumi.ComponentResource {
  /** For `dependsOn`: the host's machines are on the segment. */
  readonly resource: pulumi.Resource;

  constructor(
    onHost: FabricOnHost,
    end: FabricEnd,
    settings: Settings,
    dependsOn: pulumi.Resource[],
  ) {
    const { name, bridge } = end.host;
    const facts: Facts<"kindows:network:FabricHost"> = { host: name };
    super("kindows:network:FabricHost", `fabric-${name}`, { facts });
    const host = {
      name,
      server: sshServerOf(name, settings),
      lab: end.lab,
      script: fabricScript(onHost, end),
      unit: fabricUnit(onHost, end),
    };
    this.resource = new local.Command(
      `fabric-${name}`,
      hostAction<typeof environment>({
        create: "network/apply-fabric",
        delete: "network/apply-fabric --remove",
        environment: { FABRIC_HOST: host },
        // What an update would leave behind: names, and where they are.
        triggers: [settings.network.fabric, host.server?.host ?? "", bridge, end.lab],
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
  const { onHost } = fabrics[settings.network.fabric];
  if (onHost === undefined) return new Map();
  const ends = fabricEnds(settings).filter(({ host }) => !isAway(host.name));
  return new Map(
    ends.map((end) => {
      const dependsOn = end.isLocal ? [network] : [];
      return [end.host.name, new FabricHost(onHost, end, settings, dependsOn).resource];
    }),
  );
}
