import * as pulumi from "@pulumi/pulumi";
import * as docker from "@pulumi/docker";
import { local } from "@pulumi/command";
import * as libvirt from "@pulumi/libvirt";
import { labIdLabel } from "../../config/names.ts";
import type { Facts } from "../facts.ts";
import { hostAction } from "../host-action/host-action.ts";
import { networkXslt } from "../machine/libvirt/lab-mark.ts";
import type { environment } from "./actions/reserve-containers.ts";
import { blockPrefix } from "./found-network.ts";
import { segmentMtu } from "./packet-size.ts";

/** A libvirt network with a bridge, DHCP and DNS. */
interface SegmentArgs {
  /** Name of the network, e.g. `kindows-rehearsal`. */
  readonly name: string;
  /** IPv4 range in CIDR form, at least a /24. */
  readonly cidr: string;
  /** Name of the Linux bridge, at most 15 characters (IFNAMSIZ without the terminating zero). */
  readonly bridge: string;
  /** DNS domain that libvirt's dnsmasq answers for, e.g. `rehearsal.kindows.test`. */
  readonly domain: string;
  /** Largest packet, in bytes. Default: that of Ethernet. */
  readonly mtu?: number;
  /** DNS servers for names that libvirt's dnsmasq does not know. Default: this host's. */
  readonly dnsForwarders?: readonly string[];
  /** Zone of firewalld that libvirt puts the bridge into. Default: libvirt's own, or none without firewalld. */
  readonly zone?: string;
  /** How packets leave the network: `nat` hides its addresses, `route` does not. Default: `nat`. */
  readonly mode?: "nat" | "route";
  /** The lab's random id, which the network carries. */
  readonly labId: pulumi.Output<string>;
}

/** A libvirt network that was there before, and in which kind's containers get a block of addresses. */
export interface UsedNetwork {
  /** URI of its libvirt, e.g. `qemu:///system`. */
  readonly uri: string;
  readonly name: string;
  readonly uuid: string;
  /** How many containers need an address at most. */
  readonly containers: number;
  /** Addresses that are not in the block, although nobody may have them at the moment. */
  readonly avoid: readonly string[];
}

export interface LabNetworkArgs extends SegmentArgs {
  /** Address of the bridge, which is the machines' gateway, DNS and DHCP server. */
  readonly gateway: string;
  /**
   * Where Docker takes the addresses of kind's containers from: a part of `cidr` without addresses of machines, or a
   * block that is chosen in the network which the lab uses instead of making one.
   */
  readonly containers: string | UsedNetwork;
  readonly libvirtProvider: libvirt.Provider;
  readonly dockerProvider: docker.Provider;
}

/**
 * One layer-2 segment for machines and kind's containers. libvirt owns the bridge (NAT to the outside, DHCP, DNS), and
 * Docker adopts it. So nodes reach the API server and each other at their own addresses, without NAT, published ports
 * or firewall rules. Two bridges, as in older recipes, do not work because of Docker 28's per-container drop rules in
 * the raw table. The libvirt network may also be one that was there before, and that stays when the lab goes.
 *
 * Not responsible for DHCP reservations, which belong to the machines.
 */
export class LabNetwork extends pulumi.ComponentResource {
  /** Id of the libvirt network, for the interfaces of domains. */
  readonly networkId: pulumi.Output<string>;
  /** Name of the Docker network, for kind. */
  readonly dockerNetworkName: pulumi.Output<string>;
  /** Part of the segment, in CIDR form, that Docker takes containers' addresses from. */
  readonly containerRange: pulumi.Output<string>;

  constructor(name: string, args: LabNetworkArgs, opts?: pulumi.ComponentResourceOptions) {
    const { containers: given } = args;
    const facts: Facts<"kindows:network:LabNetwork"> = {
      name: args.name,
      cidr: args.cidr,
      bridge: args.bridge,
      ...(typeof given === "string" ? { containerRange: given } : { libvirtNetwork: given.name }),
    };
    super("kindows:network:LabNetwork", name, { facts }, opts);
    const { segment, networkId, ipRange } =
      typeof given === "string" ? this.#made(name, args, given) : this.#used(name, args, given);
    const containers = new docker.Network(
      name,
      {
        name: args.name,
        driver: "bridge",
        ipamConfigs: [{ subnet: args.cidr, gateway: args.gateway, ipRange }],
        options: {
          "com.docker.network.bridge.name": args.bridge,
          "com.docker.network.bridge.enable_ip_masquerade": "false",
          ...(isSmall(args) && { "com.docker.network.driver.mtu": String(args.mtu) }),
        },
        labels: [{ label: labIdLabel, value: args.labId }],
      },
      // If Docker started first, it would create the bridge itself, and libvirt's network could not start. This can
      // still happen after a reboot of the host; cli/host-resources/networks.ts repairs it.
      {
        parent: this,
        provider: args.dockerProvider,
        dependsOn: segment,
        replaceWith: [segment],
        deleteBeforeReplace: true,
      },
    );
    this.networkId = networkId;
    this.dockerNetworkName = containers.name;
    this.containerRange = pulumi.output(ipRange);
    this.registerOutputs({ networkId: this.networkId, dockerNetworkName: this.dockerNetworkName });
  }

  #made(name: string, args: LabNetworkArgs, ipRange: string): Ground {
    const segment = libvirtSegment(name, args, { parent: this, provider: args.libvirtProvider });
    return { segment, networkId: segment.id, ipRange };
  }

  /** Reserves the containers' addresses in the network, so that its DHCP server gives them to nobody. */
  #used(name: string, { name: lab, labId }: LabNetworkArgs, given: UsedNetwork): Ground {
    const { uri, name: network, uuid, containers, avoid } = given;
    const prefixLength = blockPrefix(containers);
    const block = new local.Command(
      `${name}-containers`,
      hostAction<typeof environment>({
        create: "network/reserve-containers",
        delete: "network/reserve-containers --release",
        environment: {
          CONTAINERS: labId.apply((id) => ({ uri, network, lab, id, prefixLength })),
          AVOID: [...avoid],
        },
        triggers: [uuid, prefixLength],
      }),
      {
        parent: this,
        deleteBeforeReplace: true,
        // They count where the block is chosen. Another one would need another cluster.
        ignoreChanges: ["environment.AVOID"],
      },
    );
    return { segment: block, networkId: pulumi.output(uuid), ipRange: block.stdout };
  }
}

/** What Docker's network is built on. */
interface Ground {
  readonly segment: pulumi.Resource;
  readonly networkId: pulumi.Output<string>;
  readonly ipRange: pulumi.Input<string>;
}

/** Whether packets are smaller than they are without a setting. */
function isSmall({ mtu = segmentMtu }: SegmentArgs): boolean {
  return mtu < segmentMtu;
}

export function libvirtSegment(
  name: string,
  args: SegmentArgs,
  opts: pulumi.CustomResourceOptions,
): libvirt.Network {
  const forwarders = (args.dnsForwarders ?? []).map((address) => ({ address }));
  const network = {
    name: args.name,
    mode: args.mode ?? "nat",
    bridge: args.bridge,
    addresses: [args.cidr],
    domain: args.domain,
    dns: { enabled: true, localOnly: true, ...(forwarders.length > 0 && { forwarders }) },
    dhcp: { enabled: true },
    autostart: true,
    ...(isSmall(args) && { mtu: args.mtu }),
    xml: { xslt: args.labId.apply((labId) => networkXslt(labId, args.zone)) },
  };
  return new libvirt.Network(name, network, { ...opts, ignoreChanges: ["xml"] });
}
