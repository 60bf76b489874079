import { readdir, readFile, readlink } from "node:fs/promises";
import path from "node:path";
import { dockerZone, firewalldState, type FirewalldState } from "./firewalld.ts";
import { leastMtu, segmentMtu } from "./packet-size.ts";
import type { HostProblem, Gathered } from "../../config/host-problem.ts";
import { labNames } from "../../config/names.ts";
import { unless } from "../../config/problem.ts";
import type { LabSection } from "../../config/sections/lab.ts";
import type { NetworkSection } from "../../config/sections/network.ts";
import type { LibvirtFacts } from "../machine/libvirt/libvirt-facts.ts";

/** A program of this host that listens, on every address, where libvirt's DNS or DHCP server of the lab has to. */
interface Listener {
  readonly port: 53 | 67;
  /** Name of its program; undefined if this user may not see it. */
  readonly program?: string;
}

/** What other services of this host do to networks. */
export interface ServiceFacts {
  readonly listeners: readonly Listener[];
  readonly firewalld: FirewalldState;
  /** Where packets leave this host, if packets there are smaller than usual. */
  readonly uplink: { readonly interface: string; readonly mtu: number } | undefined;
}

/** @param root folder of this host's /proc, /sys and /etc, for tests. */
export async function gatherServices(root = "/"): Promise<ServiceFacts> {
  const [listeners, uplink] = await Promise.all([gatherListeners(root), gatherUplink(root)]);
  return { listeners, firewalld: firewalldState(root), uplink };
}

const text = (root: string, file: string): Promise<string> =>
  readFile(path.join(root, file), "utf8").catch(() => "");

const everyAddress = /^0+$/;

/** Addresses in /proc/net/tcp{,6} besides which none can listen on 127.0.0.1. */
const loopback = /^(0+|0100007F|0{16}FFFF00000100007F)$/;

/** Sockets of /proc/net/{udp,tcp}: bound to such an address, and waiting for packets or connections. */
function socketsIn(table: string, port: number, state: string, bound = everyAddress): string[] {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  const [, ...lines] = table.trim().split("\n");
  return lines.flatMap((line) => {
    const [, local = "", , its = "", , , , , , inode = ""] = line.trim().split(/\s+/);
    const [address = "", at] = local.split(":");
    return bound.test(address) && at === hex && its === state ? [inode] : [];
  });
}

/** Who listens on a port of 127.0.0.1: the program's name, empty if this user may not see it; undefined if nobody does. */
export async function gatherListener(port: number, root = "/"): Promise<string | undefined> {
  const tables = await Promise.all(["tcp", "tcp6"].map((name) => text(root, `proc/net/${name}`)));
  const found = tables.flatMap((table) => socketsIn(table, port, "0A", loopback));
  if (found.length === 0) return undefined;
  const [owner] = (await ownersOf(root, found)).values();
  return owner?.program ?? "";
}

async function gatherListeners(root: string): Promise<Listener[]> {
  const [udp, udp6, tcp, tcp6] = await Promise.all(
    ["udp", "udp6", "tcp", "tcp6"].map((name) => text(root, `proc/net/${name}`)),
  );
  const both = (tables: readonly (string | undefined)[], port: number, state: string): string[] =>
    tables.flatMap((table) => socketsIn(table ?? "", port, state));
  const found = [
    ...[...both([udp, udp6], 53, "07"), ...both([tcp, tcp6], 53, "0A")].map(
      (inode) => [53, inode] as const,
    ),
    // DHCP servers listen on every address even if they serve one interface only, as libvirt's own do.
    ...both([udp], 67, "07").map((inode) => [67, inode] as const),
  ];
  if (found.length === 0) return [];
  const owners = await ownersOf(
    root,
    found.map(([, inode]) => inode),
  );
  const listeners = found.flatMap(([port, inode]): Listener[] => {
    const owner = owners.get(inode);
    if (owner?.isLibvirts === true) return [];
    if (owner !== undefined) return [{ port, program: owner.program }];
    return port === 53 ? [{ port }] : [];
  });
  return [...new Map(listeners.map((one) => [JSON.stringify(one), one])).values()];
}

interface Owner {
  readonly program: string;
  /** Whether it is one of libvirt's own servers, each of which keeps to its network's interface. */
  readonly isLibvirts: boolean;
}

/** The processes that have sockets open, by the sockets' inodes, as far as this user may see them. */
async function ownersOf(root: string, inodes: readonly string[]): Promise<Map<string, Owner>> {
  const wanted = new Set(inodes.map((inode) => `socket:[${inode}]`));
  const owners = new Map<string, Owner>();
  const folders = await readdir(path.join(root, "proc")).catch(() => []);
  const processes = folders.filter((name) => /^\d+$/.test(name));
  await Promise.all(
    processes.map(async (process) => {
      const folder = path.join(root, "proc", process, "fd");
      const files = await readdir(folder).catch(() => []);
      const links = await Promise.all(
        files.map((file) => readlink(path.join(folder, file)).catch(() => "")),
      );
      const own = links.filter((link) => wanted.has(link));
      if (own.length === 0) return;
      const [name, line] = await Promise.all([
        text(root, `proc/${process}/comm`),
        text(root, `proc/${process}/cmdline`),
      ]);
      const isLibvirts = line.includes("/libvirt/dnsmasq/");
      for (const link of own) {
        owners.set(link.replace(/\D/g, ""), { program: name.trim(), isLibvirts });
      }
    }),
  );
  return owners;
}

/** The default route's interface, or those of the two halves of the world that VPNs route instead of it. */
async function gatherUplink(root: string): Promise<ServiceFacts["uplink"]> {
  const [, ...lines] = (await text(root, "proc/net/route")).trim().split("\n");
  const names = lines.flatMap((line) => {
    const [name = "", , , , , , , mask = ""] = line.split(/\s+/);
    return mask === "00000000" || mask === "00000080" ? [name] : [];
  });
  const uplinks = await Promise.all(
    [...new Set(names)].map(async (name) => ({
      interface: name,
      mtu: Number(await text(root, `sys/class/net/${name}/mtu`)) || segmentMtu,
    })),
  );
  const [smallest] = uplinks.toSorted((a, b) => a.mtu - b.mtu);
  return smallest === undefined || smallest.mtu >= segmentMtu ? undefined : smallest;
}

/** Checks that the lab's DNS and DHCP server can listen, unless the lab's network is there already. */
export function checkListeners(
  settings: LabSection & NetworkSection,
  {
    services,
    libvirt,
  }: { readonly services: ServiceFacts; readonly libvirt: Gathered<LibvirtFacts> },
): HostProblem[] {
  const network = settings.network.libvirtNetwork ?? labNames(settings.lab.name).network;
  const isThere = libvirt.reachable && libvirt.networks.some(({ name }) => name === network);
  if (isThere) return [];
  return services.listeners.map(({ port, program }) => ({
    subject: `Port ${port} of this host`,
    why: `is taken on every address by ${program ?? "a program (as root, `ss -lntup` names it)"}, so libvirt's ${port === 53 ? "DNS" : "DHCP"} server of the lab could not listen`,
    instead:
      port === 53
        ? "Have it listen on addresses of its own only (dnsmasq and Pi-hole: bind-interfaces and interface; BIND: listen-on), or stop it."
        : "Have it serve interfaces of its own only, or stop it.",
  }));
}

/** Checks that the lab's bridge is in the zone in which Docker wants it, or that libvirt can put it there. */
export function checkFirewalld(
  { network }: NetworkSection,
  { services }: { readonly services: ServiceFacts },
): HostProblem[] {
  const { libvirtNetwork, found } = network;
  if (found !== undefined && services.firewalld !== "off" && found.zone !== dockerZone) {
    return [
      {
        subject: `The bridge of libvirt's network ${libvirtNetwork}`,
        why: `is in firewalld's zone ${found.zone ?? "libvirt"}, and Docker refuses a bridge that is in another zone than its own`,
        instead: `Write zone='${dockerZone}' into its <bridge> (virsh net-edit ${libvirtNetwork}), then net-destroy and net-start it, or leave out kindows:network.libvirtNetwork.`,
      },
    ];
  }
  return unless(services.firewalld !== "without Docker's zone", {
    subject: "firewalld",
    why: "has no zone docker, which Docker makes when it starts beside firewalld, and in which the lab's bridge must be",
    instead: "Restart Docker: sudo systemctl restart docker.",
  });
}

/** Warns of an uplink that takes smaller packets than the lab sends. */
export function checkUplink(
  { network }: NetworkSection,
  { services }: { readonly services: ServiceFacts },
): HostProblem[] {
  const { uplink } = services;
  return unless(uplink === undefined || uplink.mtu >= network.mtu, {
    subject: `This host's interface ${uplink?.interface ?? ""}`,
    why: `takes packets of ${uplink?.mtu} bytes only, but the lab sends ${network.mtu}: large downloads may stall`,
    instead: `If they do, write kindows:network.mtu: ${Math.max(uplink?.mtu ?? 0, leastMtu)}.`,
  });
}
