import * as z from "zod";
import { fabrics, type FabricName } from "../../components/network/fabric/fabrics.ts";
import type { FoundNetwork } from "../../components/network/found-network.ts";
import { leastMtu, segmentMtu } from "../../components/network/packet-size.ts";
import { defaultBridge, defaultDomain, maxBridgeNameLength } from "../names.ts";
import { type Check, unless } from "../problem.ts";
import type { LabSection } from "./lab.ts";
import { bridgeName } from "../values/bridge-name.ts";
import { dnsDomain } from "../values/dns-name.ts";
import { cidr, ipv4 } from "../values/ip-address.ts";
import { between, ofForm, text } from "../values/value.ts";

const defaultSegment = "192.168.150.0/24";

const choices = Object.entries(fabrics).map(([name, { choice }]) => `\`${name}\` (${choice})`);

const forwarder = ipv4(
  "Write the address of a DNS server as four numbers up to 255, e.g. 10.1.1.53.",
);

/** libvirt allows almost any name; these go unquoted through every program. */
const networkName = ofForm(
  /^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,62}$/,
  "is not the name of a libvirt network",
  "Write one that `virsh -c qemu:///system net-list --all` shows, e.g. default.",
);

export const network = z.strictObject({
  libvirtNetwork: text(networkName).optional().meta({
    description:
      "Name of a libvirt network on this host that the lab uses instead of making one, e.g. libvirt's own `default` (docs/own-machine.md). Its bridge and range are read from it, and `down` leaves it as it was.",
    default: "none; the lab makes a network of its own",
  }),
  cidr: text(cidr(defaultSegment))
    .optional()
    .meta({
      description:
        "IPv4 range of the lab's segment, /24 or larger: `.1` is the gateway, `.2` to `.99` are for machines, the upper half is for kind's containers. It must be unused on this host and must not overlap `podCidr` or `serviceCidr`.",
      default: `\`${defaultSegment}\`, or that of \`libvirtNetwork\``,
    }),
  bridge: text(bridgeName).optional().meta({
    description:
      "Name of the segment's Linux bridge, at most 15 characters. libvirt creates the bridge.",
    default: "`kw-<lab.name>`, or that of `libvirtNetwork`",
  }),
  mtu: between(leastMtu, segmentMtu)
    .optional()
    .meta({
      description:
        "Largest packet on the segment, of machines and containers; pods' are smaller by their encapsulation. Write less where this host's uplink, e.g. a VPN, takes less.",
      unit: "bytes",
      default: `\`${segmentMtu}\`, or that of \`libvirtNetwork\``,
    }),
  dnsForwarders: z.array(text(forwarder)).max(3).default([]).meta({
    description:
      "IPv4 addresses of the DNS servers that the segment's own asks for other names, at most three, e.g. a company's.",
    default: "those of this host",
  }),
  fabric: z
    .enum(Object.keys(fabrics) as FabricName[])
    .default("bridge")
    .meta({
      description: `How this host and the hosts in \`hypervisors\` are connected (docs/fleet.md): ${choices.join(", ")}.`,
    }),
  domain: text(dnsDomain).optional().meta({
    description: "DNS domain that the segment's DNS server answers for.",
    default: "`<lab.name>.kindows.test`, or that of `libvirtNetwork`",
  }),
});

type Network = z.output<typeof network>;

/** The segment's settings, with the network that was there before, if the lab uses one and it could be read. */
export type Segment = Required<Omit<Network, "libvirtNetwork">> &
  Pick<Network, "libvirtNetwork"> & { readonly found?: FoundNetwork };

export interface NetworkSection {
  readonly network: Segment;
}

/** Fills in what follows from the lab's name, or from the network that the lab uses, unless it is written. */
export function withNames(
  { libvirtNetwork, ...written }: Network,
  lab: string,
  found: FoundNetwork | undefined,
): Segment {
  return {
    ...written,
    cidr: written.cidr ?? found?.cidr ?? defaultSegment,
    bridge: written.bridge ?? found?.bridge ?? defaultBridge(lab),
    mtu: written.mtu ?? found?.mtu ?? segmentMtu,
    domain: written.domain ?? found?.domain ?? defaultDomain(lab),
    ...(libvirtNetwork !== undefined && { libvirtNetwork }),
    ...(found !== undefined && { found }),
  };
}

/** If the bridge is named after the lab, the name must not be too long for a bridge. */
export const defaultBridgeLength: Check<LabSection & NetworkSection> = {
  reads: ["lab.name", "network.bridge"],
  run: ({ lab, network }) =>
    unless(network.bridge.length <= maxBridgeNameLength, {
      path: ["network", "bridge"],
      why: `has ${network.bridge.length} characters, because it follows from kindows:lab.name (${lab.name}); Linux allows an interface ${maxBridgeNameLength}`,
      instead: `Write another name, e.g. ${network.bridge.slice(0, maxBridgeNameLength).replace(/-+$/, "")}, or a lab name of at most 12 characters.`,
    }),
};
