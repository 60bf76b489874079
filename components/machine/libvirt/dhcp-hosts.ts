import { xmlText } from "../../../host/xml-text.ts";
import { below, readXml } from "../../../host/read-xml.ts";

/** An address reservation in a libvirt network's DHCP server. */
export interface DhcpHost {
  readonly mac: string;
  readonly ip: string;
  readonly name: string;
}

/** Reads the reservations from the output of `virsh net-dumpxml`. */
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
 * Compares the existing reservations with a wanted one. Returns the command of `virsh net-update` that makes it, the
 * machine that already has the address, or undefined if nothing is to be done. Machines are identified by MAC address.
 */
export function reserving(
  existing: readonly DhcpHost[],
  wanted: DhcpHost,
): "add-last" | "modify" | { readonly takenBy: DhcpHost } | undefined {
  const own = existing.find(({ mac }) => mac === wanted.mac);
  const other = existing.find(({ ip, mac }) => ip === wanted.ip && mac !== wanted.mac);
  if (other !== undefined) return { takenBy: other };
  if (own === undefined) return "add-last";
  return own.ip === wanted.ip && own.name === wanted.name ? undefined : "modify";
}

/** Renders a reservation for `virsh net-update`. */
export function dhcpHostXml({ mac, ip, name }: DhcpHost): string {
  return `<host mac="${xmlText(mac)}" name="${xmlText(name)}" ip="${xmlText(ip)}"/>`;
}
