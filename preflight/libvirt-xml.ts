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
  return elements(text, "network").map((xml) => ({
    name: content(xml, "name"),
    bridge: /<bridge name='([^']+)'/.exec(xml)?.[1],
    cidrs: [...xml.matchAll(/^ {2}<ip ([^>]*)>/gm)]
      .map(([, attributes = ""]) => cidr(attributes))
      .filter((one) => one !== undefined),
  }));
}

/** Pools described in such a text. */
export function poolsIn(text: string): LibvirtPool[] {
  return elements(text, "pool").map((xml) => ({
    name: content(xml, "name"),
    path: /<target>\s*<path>([^<]+)<\/path>/.exec(xml)?.[1],
  }));
}

/** Domains described in such a text; a running one has a number. */
export function domainsIn(text: string): LibvirtDomain[] {
  return elements(text, "domain").map((xml) => ({
    name: content(xml, "name"),
    running: /^<domain [^>]*\bid='\d+'/.test(xml),
    networks: [...xml.matchAll(/<source network='([^']+)'/g)].map(([, name = ""]) => name),
  }));
}

/** Elements `name` that stand at the left margin, as libvirt prints its descriptions. */
function elements(text: string, name: string): string[] {
  return text.match(new RegExp(`^<${name}(?: [^>]*)?>$[\\s\\S]*?^</${name}>$`, "gm")) ?? [];
}

/** Text of the first element `name`. */
function content(xml: string, name: string): string {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? "";
}

/** The range of an `<ip>` element: address with netmask or prefix; undefined for IPv6. */
function cidr(attributes: string): string | undefined {
  const value = (key: string): string | undefined =>
    new RegExp(`\\b${key}='([^']+)'`).exec(attributes)?.[1];
  const address = value("address") ?? "";
  const netmask = addressNumber(value("netmask") ?? "");
  const prefix = value("prefix") ?? (netmask === undefined ? "32" : String(prefixLength(netmask)));
  const range = parseRange(`${address}/${prefix}`);
  return range === undefined ? undefined : rangeText(range);
}

function prefixLength(netmask: number): number {
  return 32 - Math.log2(2 ** 32 - netmask);
}
