import * as pulumi from "@pulumi/pulumi";
import { local } from "@pulumi/command";
import type { Facts } from "../../facts.ts";
import { hostAction } from "../../host-action/host-action.ts";
import { sshServerOf } from "../../machine/libvirt/remote-hypervisor.ts";
import type { environment } from "../actions/apply-fabric.ts";
import { type FabricEnd, type FabricOnHost } from "./fabric.ts";
import { fabricScript, fabricUnit } from "./host-script.ts";
import { fabrics } from "./fabrics.ts";
import { fabricEnds, type FabricLab } from "./fabric-ends.ts";

/**
 * The network fabric on one host. It is updated whenever a host joins or leaves, and removed with the host's last node.
 */
class FabricHost extends pulumi.ComponentResource {
  /** For `dependsOn`: once it exists, machines of the host are connected to the segment. */
  readonly resource: pulumi.Resource;

  constructor(
    onHost: FabricOnHost,
    end: FabricEnd,
    settings: FabricLab,
    labId: pulumi.Output<string>,
    dependsOn: pulumi.Resource[],
    opts: pulumi.ComponentResourceOptions,
  ) {
    const { name, bridge } = end.host;
    const facts: Facts<"kindows:network:FabricHost"> = { host: name };
    super("kindows:network:FabricHost", `fabric-${name}`, { facts }, opts);
    const server = sshServerOf(name, settings);
    const host = labId.apply((id) => {
      const marked = fabricEnds(settings, id).find((one) => one.host.name === name) ?? end;
      const { lab, mark } = marked;
      return {
        ...{ name, server, lab, mark },
        script: fabricScript(onHost, marked),
        unit: fabricUnit(onHost, marked),
      };
    });
    this.resource = new local.Command(
      `fabric-${name}`,
      hostAction<typeof environment>({
        create: "network/apply-fabric",
        delete: "network/apply-fabric --remove",
        environment: { FABRIC_HOST: host },
        // An update would leave the old fabric behind if one of these changed.
        triggers: [settings.network.fabric, server?.host ?? "", bridge, end.lab],
      }),
      { parent: this, deleteBeforeReplace: true, dependsOn },
    );
    this.registerOutputs({});
  }
}

/**
 * Creates the lab's fabric. Returns its resource on each host, by the host's name; empty if the user makes the fabric,
 * or all nodes are on this host.
 *
 * @param isAway whether a host does not answer. Nothing is changed on it, but it remains a peer of the others.
 * @param labId the lab's random id.
 * @param network the resource that makes this host's bridge.
 * @param parent the lab's component.
 */
export function labFabric(
  settings: FabricLab,
  isAway: (host: string) => boolean,
  labId: pulumi.Output<string>,
  network: pulumi.Resource,
  parent: pulumi.Resource,
): ReadonlyMap<string, pulumi.Resource> {
  const { onHost } = fabrics[settings.network.fabric];
  if (onHost === undefined) return new Map();
  const ends = fabricEnds(settings).filter(({ host }) => !isAway(host.name));
  return new Map(
    ends.map((end) => {
      const dependsOn = end.isLocal ? [network] : [];
      const host = new FabricHost(onHost, end, settings, labId, dependsOn, { parent });
      return [end.host.name, host.resource];
    }),
  );
}
