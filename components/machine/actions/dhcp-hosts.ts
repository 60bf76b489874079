import { below, readXml } from "../../../host/read-xml.ts";

/** A machine for which a libvirt network's DHCP server keeps an address. */
export interface DhcpHost {
  readonly mac: string;
  readonly ip: string;
  readonly name: string;
}

/** Reads the reservations of what `virsh net-dumpxml` says of a network. */
export function dhcpHosts(xml: string): DhcpHost[] {
  return below(readXml(xml), "network", "ip", "dhcp", "host")
    .filter(({ attributes }) => attributes["mac"] !== undefined)
    .map(({ attributes: { mac = "", ip = "", name = "" } }) => ({
      mac: mac.toLowerCase(),
      ip,
      name,
    }));
}

/**
 * Compares the reservations that are there with one that is wanted: undefined, or how `virsh net-update` is to make it, or who
 * else has the address. A machine is known by its MAC address.
 */
export function reserving(
  there: readonly DhcpHost[],
  wanted: DhcpHost,
): "add-last" | "modify" | { readonly takenBy: DhcpHost } | undefined {
  const own = there.find(({ mac }) => mac === wanted.mac);
  const other = there.find(({ ip, mac }) => ip === wanted.ip && mac !== wanted.mac);
  if (other !== undefined) return { takenBy: other };
  if (own === undefined) return "add-last";
  return own.ip === wanted.ip && own.name === wanted.name ? undefined : "modify";
}

/** A reservation as `virsh net-update` takes it. */
export function dhcpHostXml({ mac, ip, name }: DhcpHost): string {
  return `<host mac='${mac}' name='${name}' ip='${ip}'/>`;
}
