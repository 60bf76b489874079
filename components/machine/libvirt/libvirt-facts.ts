import ipaddr from "ipaddr.js";
import { parseRange, rangeText } from "../../../config/ipv4.ts";
import type { Gathered } from "../../../config/host-problem.ts";
import type { ThisHypervisor } from "./settings.ts";
import { messageOf } from "../../../host/failure.ts";
import { lines } from "../../../host/host.ts";
import { below, readXml, type XmlElement } from "../../../host/read-xml.ts";
import { virshBatch } from "../../../host/virsh.ts";

interface LibvirtNetwork {
  readonly name: string;
  readonly bridge?: string;
  /** IPv4 ranges in CIDR form. */
  readonly cidrs: readonly string[];
}

interface LibvirtPool {
  readonly name: string;
  readonly path?: string;
}

export interface LibvirtDomain {
  readonly name: string;
  readonly running: boolean;
  readonly networks: readonly string[];
}

/** What a libvirt has that could conflict with a lab. */
export interface LibvirtFacts {
  readonly version: string;
  /** Why its QEMU cannot run machines of the wanted domain type; undefined if it can. */
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

/** Queries libvirt in two rounds: first for the names of everything, then for the descriptions. */
export async function gatherLibvirt({
  uri,
  domainType,
}: Pick<ThisHypervisor, "uri" | "domainType">): Promise<Gathered<LibvirtFacts>> {
  try {
    const [version, emulator, ...names] = await Promise.all([
      virshBatch(uri, ["version"]),
      virshBatch(uri, [`domcapabilities --virttype ${domainType}`]),
      ...lists.map(({ list }) => virshBatch(uri, [list])),
    ]);
    const commands = lists.flatMap(({ describe }, index) =>
      lines(names[index]?.stdout).map((name) => `${describe} "${name.replace(/["\\]/g, "\\$&")}"`),
    );
    // Objects that were removed in the meantime are missing in the output.
    const described = commands.length === 0 ? "" : (await virshBatch(uri, commands)).stdout;
    const error = lines(emulator.stderr)
      .at(-1)
      ?.replace(/^error: /, "");
    return {
      reachable: true,
      version: /Using library: libvirt (\S+)/.exec(version.stdout)?.[1] ?? "of unknown version",
      emulatorError: emulator.stdout.includes("<domainCapabilities>") ? undefined : error,
      ...objectsIn(described),
    };
  } catch (error) {
    return { reachable: false, error: messageOf(error) };
  }
}

/** What a text with any of libvirt's XML descriptions describes. */
export function objectsIn(text: string): Pick<LibvirtFacts, "networks" | "pools" | "domains"> {
  const described = readXml(text);
  return {
    networks: below(described, "network").map(networkOf),
    pools: below(described, "pool").map(poolOf),
    domains: below(described, "domain").map(domainOf),
  };
}

function networkOf(network: XmlElement): LibvirtNetwork {
  return {
    name: nameOf(network),
    bridge: below(network, "bridge")[0]?.attributes["name"],
    cidrs: below(network, "ip")
      .map(networkRange)
      .filter((one) => one !== undefined),
  };
}

function poolOf(pool: XmlElement): LibvirtPool {
  return { name: nameOf(pool), path: below(pool, "target", "path")[0]?.text };
}

function domainOf(domain: XmlElement): LibvirtDomain {
  return {
    name: nameOf(domain),
    // Only running domains have an id.
    running: domain.attributes["id"] !== undefined,
    networks: below(domain, "devices", "interface", "source").flatMap(
      ({ attributes }) => attributes["network"] ?? [],
    ),
  };
}

function nameOf(element: XmlElement): string {
  return below(element, "name")[0]?.text ?? "";
}

/** The range of an `<ip>` element, which has a netmask or a prefix; undefined for IPv6. */
export function networkRange({
  attributes: { address = "", netmask, prefix },
}: XmlElement): string | undefined {
  const length =
    prefix ?? ipaddr.IPv4.parse(netmask ?? "255.255.255.255").prefixLengthFromSubnetMask();
  const range = parseRange(`${address}/${length}`);
  return range && rangeText(range);
}
