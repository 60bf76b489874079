import { below, readXml, type XmlElement } from "../host/read-xml.ts";
import { addressNumber, parseRange, rangeText } from "../config/ipv4.ts";

/** A network libvirt knows, running or not. */
export interface LibvirtNetwork {
  readonly name: string;
  readonly bridge?: string;
  /** IPv4 ranges in CIDR form. */
  readonly cidrs: readonly string[];
}

/** A storage pool. */
export interface LibvirtPool {
  readonly name: string;
  /** Folder, for pools that have one. */
  readonly path?: string;
}

/** A machine, running or not. */
export interface LibvirtDomain {
  readonly name: string;
  readonly running: boolean;
  /** Names of the libvirt networks it is on. */
  readonly networks: readonly string[];
}

/** Networks described in a text that holds libvirt's descriptions of anything. */
export function networksIn(text: string): LibvirtNetwork[] {
  return below(readXml(text), "network").map((network) => ({
    name: nameOf(network),
    bridge: below(network, "bridge")[0]?.attributes["name"],
    cidrs: below(network, "ip")
      .map(cidr)
      .filter((one) => one !== undefined),
  }));
}

/** Pools described in such a text. */
export function poolsIn(text: string): LibvirtPool[] {
  return below(readXml(text), "pool").map((pool) => ({
    name: nameOf(pool),
    path: below(pool, "target", "path")[0]?.text,
  }));
}

/** Domains described in such a text; a running one has a number. */
export function domainsIn(text: string): LibvirtDomain[] {
  return below(readXml(text), "domain").map((domain) => ({
    name: nameOf(domain),
    running: domain.attributes["id"] !== undefined,
    networks: below(domain, "devices", "interface", "source").flatMap(
      ({ attributes }) => attributes["network"] ?? [],
    ),
  }));
}

function nameOf(element: XmlElement): string {
  return below(element, "name")[0]?.text ?? "";
}

/** The range of an `<ip>` element: address with netmask or prefix; undefined for IPv6. */
function cidr({ attributes }: XmlElement): string | undefined {
  const netmask = addressNumber(attributes["netmask"] ?? "");
  const prefix =
    attributes["prefix"] ?? (netmask === undefined ? "32" : String(prefixLength(netmask)));
  const range = parseRange(`${attributes["address"] ?? ""}/${prefix}`);
  return range === undefined ? undefined : rangeText(range);
}

function prefixLength(netmask: number): number {
  return 32 - Math.log2(2 ** 32 - netmask);
}
