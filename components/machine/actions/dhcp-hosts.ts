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

/** What has to be done for a reservation to be there. */
export type Reserving =
  | { readonly kind: "there" }
  /** As `virsh net-update` calls it. */
  | { readonly kind: "add-last" | "modify" }
  /** Somebody else has the address. */
  | { readonly kind: "taken"; readonly by: DhcpHost };

/** Compares the reservations that are there with one that is wanted; a machine is known by its MAC address. */
export function reserving(there: readonly DhcpHost[], wanted: DhcpHost): Reserving {
  const own = there.find(({ mac }) => mac === wanted.mac);
  const other = there.find(({ ip, mac }) => ip === wanted.ip && mac !== wanted.mac);
  if (other !== undefined) return { kind: "taken", by: other };
  if (own === undefined) return { kind: "add-last" };
  return own.ip === wanted.ip && own.name === wanted.name ? { kind: "there" } : { kind: "modify" };
}

/** A reservation as `virsh net-update` takes it. */
export function dhcpHostXml({ mac, ip, name }: DhcpHost): string {
  return `<host mac='${mac}' name='${name}' ip='${ip}'/>`;
}
