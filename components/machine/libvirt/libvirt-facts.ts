import ipaddr from "ipaddr.js";
import { parseRange, rangeText } from "../../../config/ipv4.ts";
import type { Gathered } from "../../../config/host-problem.ts";
import type { Settings } from "../../../config/settings.ts";
import { messageOf } from "../../../host/failure.ts";
import { lines } from "../../../host/host.ts";
import { below, readXml, type XmlElement } from "../../../host/read-xml.ts";
import { virshBatch } from "../../../host/virsh.ts";

export interface LibvirtNetwork {
  readonly name: string;
  readonly bridge?: string;
  /** IPv4 ranges in CIDR form. */
  readonly cidrs: readonly string[];
}

export interface LibvirtPool {
  readonly name: string;
  readonly path?: string;
}

export interface LibvirtDomain {
  readonly name: string;
  readonly running: boolean;
  readonly networks: readonly string[];
}

/** A libvirt, and what it has that a lab could run into. */
export interface LibvirtFacts {
  readonly version: string;
  /** Why its QEMU can't run machines of the type asked for; undefined when it can. */
  readonly emulatorError?: string;
  readonly networks: readonly LibvirtNetwork[];
  readonly domains: readonly LibvirtDomain[];
  readonly pools: readonly LibvirtPool[];
}

const lists = [
  { list: "net-list --all --name", describe: "net-dumpxml" },
  { list: "pool-list --all --name", describe: "pool-dumpxml" },
  { list: "list --all --name", describe: "dumpxml" },
] as const;

/** Asks libvirt, in two goes: what is there, then for the description of each. */
export async function gatherLibvirt({
  uri,
  domainType,
}: Pick<Settings["hypervisor"], "uri" | "domainType">): Promise<Gathered<LibvirtFacts>> {
  try {
    const [version, emulator, ...names] = await Promise.all([
      virshBatch(uri, ["version"]),
      virshBatch(uri, [`domcapabilities --virttype ${domainType}`]),
      ...lists.map(({ list }) => virshBatch(uri, [list])),
    ]);
    const commands = lists.flatMap(({ describe }, index) =>
      lines(names[index]?.stdout).map((name) => `${describe} "${name.replace(/["\\]/g, "\\$&")}"`),
    );
    // What went meanwhile is left out.
    const described = commands.length === 0 ? "" : (await virshBatch(uri, commands)).stdout;
    const error = lines(emulator.stderr)
      .at(-1)
      ?.replace(/^error: /, "");
    return {
      reachable: true,
      version: /Using library: libvirt (\S+)/.exec(version.stdout)?.[1] ?? "of unknown version",
      emulatorError: emulator.stdout.includes("<domainCapabilities>") ? undefined : error,
      networks: networksIn(described),
      pools: poolsIn(described),
      domains: domainsIn(described),
    };
  } catch (error) {
    return { reachable: false, error: messageOf(error) };
  }
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
function cidr({ attributes: { address = "", netmask, prefix } }: XmlElement): string | undefined {
  const length =
    prefix ?? ipaddr.IPv4.parse(netmask ?? "255.255.255.255").prefixLengthFromSubnetMask();
  const range = parseRange(`${address}/${length}`);
  return range && rangeText(range);
}
