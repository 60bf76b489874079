import * as z from "zod";
import { networkNames, runVirsh, virsh } from "../../host/virsh.ts";
import { type DhcpHost, dhcpHosts, dhcpHostXml } from "../machine/libvirt/dhcp-hosts.ts";
import { macAddress } from "../machine/mac-address.ts";

/** The block of addresses that a lab reserves in a libvirt network. */
export const containersSchema = z.strictObject({
  uri: z.string(),
  network: z.string(),
  /** Prefix of the lab's names. */
  lab: z.string(),
  /** The lab's random id. */
  id: z.string(),
  prefixLength: z.number(),
});

type Containers = z.infer<typeof containersSchema>;

/** A reservation by its name: the lab's prefix, its id, and the last part of the address. */
const labHost = /^(kindows-[a-z0-9-]+)-([0-9a-f]{16})-\d+$/;

/** The lab that a reservation is of, and the lab's id; undefined if it is no lab's. */
export function labOfHost({
  name,
}: Pick<DhcpHost, "name">): { readonly lab: string; readonly id: string } | undefined {
  const [, lab, id] = labHost.exec(name) ?? [];
  return lab === undefined || id === undefined ? undefined : { lab, id };
}

/** The reservation of an address for a container. Its hardware address is nobody's: containers do not ask for one. */
export function containerHost({ lab, id }: Pick<Containers, "lab" | "id">, ip: string): DhcpHost {
  return { mac: macAddress(id, ip), ip, name: `${lab}-${id}-${ip.split(".").at(-1)}` };
}

/** The reservations of a network: in what runs, if it does, and in what is kept. */
interface NetworkHosts {
  readonly "--live": readonly DhcpHost[];
  readonly "--config": readonly DhcpHost[];
}

const scopes = ["--config", "--live"] as const;

/** @returns undefined if the network is gone. */
async function hostsOf(uri: string, network: string): Promise<NetworkHosts | undefined> {
  if (!(await networkNames(uri, "all")).includes(network)) return undefined;
  const active = await networkNames(uri, "active");
  const [live, kept] = await Promise.all([
    active.includes(network) ? virsh(uri, "net-dumpxml", network) : "",
    virsh(uri, "net-dumpxml", "--inactive", network),
  ]);
  return { "--live": dhcpHosts(live), "--config": dhcpHosts(kept) };
}

const isSame = (one: DhcpHost, other: DhcpHost): boolean => dhcpHostXml(one) === dhcpHostXml(other);

/** The lab's own reservations; none if the network is gone. */
export async function labHostsIn({ uri, network, ...lab }: Containers): Promise<DhcpHost[]> {
  const there = await hostsOf(uri, network);
  const all = there === undefined ? [] : scopes.flatMap((scope) => there[scope]);
  const own = all.filter((host) => isSame(host, containerHost(lab, host.ip)));
  return [...new Map(own.map((host) => [host.ip, host])).values()];
}

/** Longest time for all changes, each of which has dnsmasq read its files again. */
const updateSeconds = 180;

/**
 * Adds reservations to a network or deletes them, in what runs and in what is kept. A killed run may have done so in one of
 * the two.
 *
 * @throws with libvirt's words if it has not done so.
 */
export async function update(
  { uri, network }: Pick<Containers, "uri" | "network">,
  how: "add-last" | "delete",
  hosts: readonly DhcpHost[],
): Promise<void> {
  const isActive = (await networkNames(uri, "active")).includes(network);
  const wanted = isActive ? scopes : scopes.slice(0, 1);
  const undone = (there: NetworkHosts | undefined, host: DhcpHost): readonly string[] =>
    wanted.filter((scope) => {
      const isThere = there?.[scope].some((each) => isSame(each, host)) ?? false;
      return isThere !== (how === "add-last");
    });
  const before = await hostsOf(uri, network);
  const commands = hosts.flatMap((host) => {
    const flags = undone(before, host);
    const entry = `ip-dhcp-host '${dhcpHostXml(host)}'`;
    return flags.length === 0 ? [] : [`net-update ${network} ${how} ${entry} ${flags.join(" ")}`];
  });
  if (commands.length === 0) return;
  const { reason } = await runVirsh(uri, [commands.join("; ")], updateSeconds);
  const after = await hostsOf(uri, network);
  const failed = hosts.filter((host) => undone(after, host).length > 0);
  if (failed.length === 0) return;
  const list = failed.map(({ ip }) => ip).join(", ");
  const verb = how === "delete" ? "released" : "reserved";
  throw new Error(`libvirt has not ${verb} ${list} in its network ${network}: ${reason}`);
}
