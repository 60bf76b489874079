import * as z from "zod";

import { clusterLabel } from "../../config/names.ts";
import { below, readXml } from "../../host/read-xml.ts";
import { isLocal } from "../../toolchain/host-requirements.ts";
import { Failure, messageOf } from "../../host/failure.ts";
import { domains } from "../lab/domains.ts";
import type { Host } from "../lab/host.ts";
import { lines, virsh } from "../lab/host.ts";
import type { Idle, Sleeper } from "./sleeper.ts";

const linksSchema = z.array(
  z.object({
    ifname: z.string().optional(),
    ifindex: z.number().optional(),
    /** Bridge it is plugged into. */
    master: z.string().optional(),
  }),
);

type Link = z.infer<typeof linksSchema>[number];

/** Network interfaces of this host; nothing where libvirt is another host's, or `ip` is not installed. */
async function linksOf(host: Host): Promise<readonly Link[]> {
  if (!isLocal(host.libvirtUri)) {
    return [];
  }
  const listed = await host.run("ip", ["-j", "link", "show"]);
  return linksSchema.parse(JSON.parse(listed === undefined || listed === "" ? "[]" : listed));
}

/** Bridge of the lab's libvirt network, as libvirt wrote it down. */
async function bridgeOf(host: Host, lab: string): Promise<string | undefined> {
  const described = readXml((await virsh(host, "net-dumpxml", "--inactive", lab)) ?? "");
  return below(described, "network", "bridge")[0]?.attributes["name"];
}

async function isNetwork(host: Host, lab: string, state: "active" | "inactive"): Promise<boolean> {
  const args = state === "active" ? ["net-list", "--name"] : ["net-list", "--inactive", "--name"];
  return lines(await virsh(host, ...args)).includes(lab);
}

/**
 * A bridge that is there though its libvirt network does not run: after a reboot Docker, which adopted the bridge, may
 * start before libvirt and make it itself. libvirt then refuses to start the network.
 */
export const takenBridges: Sleeper = {
  kind: "bridge that is there before its libvirt network",
  verb: ["remove", "removed"],
  idle: async (host, lab) => {
    if (!isLocal(host.libvirtUri) || !(await isNetwork(host, lab, "inactive"))) {
      return [];
    }
    const bridge = await bridgeOf(host, lab);
    const links = await linksOf(host);
    if (bridge === undefined || !links.some(({ ifname }) => ifname === bridge)) {
      return [];
    }
    return [takenBridge(bridge, await dockerBridgeOf(host, lab))];
  },
  start: async (host, name) => {
    await asRoot(host, ["link", "delete", name, "type", "bridge"]);
  },
};

/**
 * Whose a bridge is that is in the way of the lab's network.
 *
 * @param dockers bridge of the lab's Docker network, where there is one.
 */
export function takenBridge(bridge: string, dockers: string | undefined): Idle {
  return dockers === bridge
    ? { name: bridge, seen: "Docker has made it, so libvirt cannot start its network on it" }
    : {
        name: bridge,
        seen: "it is not known who made it, and libvirt cannot start its network on it",
        first: `if nobody needs it: ip link delete ${bridge} type bridge`,
      };
}

async function dockerBridgeOf(host: Host, lab: string): Promise<string | undefined> {
  const option = `{{index .Options "com.docker.network.bridge.name"}}`;
  return host.run("docker", ["network", "inspect", "--format", option, lab]).then(
    (text) => text?.trim(),
    () => undefined, // There is no such network.
  );
}

export const networks: Sleeper = {
  kind: "libvirt network",
  idle: async (host, lab) => ((await isNetwork(host, lab, "inactive")) ? [{ name: lab }] : []),
  start: async (host, name) => {
    await virsh(host, "net-start", name);
  },
};

/** A network that libvirt takes for running, and whose bridge somebody has removed. */
export const lostBridges: Sleeper = {
  kind: "bridge of the libvirt network",
  verb: ["make again", "made again"],
  idle: async (host, lab) => {
    if (!isLocal(host.libvirtUri) || !(await isNetwork(host, lab, "active"))) {
      return [];
    }
    const [bridge, links] = [await bridgeOf(host, lab), await linksOf(host)];
    return bridge === undefined ||
      links.length === 0 ||
      links.some(({ ifname }) => ifname === bridge)
      ? []
      : [{ name: bridge, seen: "it is gone, though libvirt's network runs" }];
  },
  start: async (host, _name, lab) => {
    await virsh(host, "net-destroy", lab);
    await virsh(host, "net-start", lab);
  },
};

/**
 * A network's dnsmasq, which somebody may have ended: without it no machine gets its address. libvirt looks after it only
 * when it starts itself, and when the network is changed.
 */
export const leases: Sleeper = {
  kind: "dnsmasq of the libvirt network",
  idle: async (host, lab) => {
    if (!isLocal(host.libvirtUri)) {
      return [];
    }
    const active = lines(await virsh(host, "net-list", "--name")).filter((name) => name === lab);
    const running = await host.run("ps", ["-e", "-o", "args="]);
    return running === undefined
      ? []
      : active
          .filter((name) => !new RegExp(`dnsmasq .*/${name}\\.conf`).test(running))
          .map((name) => ({ name }));
  },
  start: async (host, name) => {
    const update = ["net-update", name, "--live"];
    const entry = `<txt name="kindows-wake" value="x"/>`;
    await virsh(host, ...update, "add-last", "dns-txt", entry);
    await virsh(host, ...update, "delete", "dns-txt", entry);
  },
};

/**
 * Interfaces of machines and containers that run and are in no bridge: whoever removes a network from under them, and
 * starts it again, leaves them so.
 */
export const ports: Sleeper = {
  kind: "network interface",
  verb: ["plug in", "plugged in"],
  idle: async (host, lab) => {
    const links = await linksOf(host);
    if (links.length === 0) {
      return [];
    }
    const owners = [...(await machinePorts(host, lab)), ...(await containerPorts(host, lab))];
    return unplugged(links, owners);
  },
  start: async (host, name, lab) => {
    await asRoot(host, ["link", "set", "dev", name, "master", (await bridgeOf(host, lab)) ?? ""]);
  },
};

/** Host's end of a machine's or a container's interface. */
interface Port {
  /** Known by its name, or by its number. */
  readonly link: string | number;
  readonly owner: string;
}

/** Those that are there and in no bridge; one in another bridge is somebody's doing. */
export function unplugged(links: readonly Link[], owners: readonly Port[]): readonly Idle[] {
  return owners.flatMap(({ link, owner }) => {
    const found = links.find(({ ifname, ifindex }) => ifname === link || ifindex === link);
    return found?.ifname === undefined || found.master !== undefined
      ? []
      : [{ name: found.ifname, seen: `it is ${owner}'s, and is in no bridge` }];
  });
}

async function machinePorts(host: Host, lab: string): Promise<readonly Port[]> {
  const running = lines(await virsh(host, "list", "--name", "--state-running"));
  const ofLab = (await domains.find(host)).filter(
    (thing) => thing.lab === lab && running.includes(thing.name),
  );
  const found = await Promise.all(
    ofLab.map(async ({ name }) =>
      lines(await virsh(host, "domiflist", name))
        .map((line) => line.split(/\s+/))
        .filter(([, type, source]) => type === "network" && source === lab)
        .map(([link = ""]) => ({ link, owner: `the machine ${name}` })),
    ),
  );
  return found.flat();
}

async function containerPorts(host: Host, lab: string): Promise<readonly Port[]> {
  const running = lines(
    await host.run("docker", [
      ...["ps", "--filter", "status=running", "--format", "{{.Names}}"],
      ...["--filter", `label=${clusterLabel}=${lab}`],
    ]),
  );
  const found = await Promise.all(
    running.map(async (name) => {
      // The number of the other end, in the host's own count.
      const number = await host
        .run("docker", ["exec", name, "cat", "/sys/class/net/eth0/iflink"])
        .catch(() => "");
      return /^\d+$/.test(number?.trim() ?? "")
        ? [{ link: Number(number), owner: `the container ${name}` }]
        : [];
    }),
  );
  return found.flat();
}

/** @throws with the command for somebody who may, where this user may not. */
async function asRoot(host: Host, args: readonly string[]): Promise<void> {
  try {
    await host.run("ip", args);
  } catch (error) {
    throw new Failure(`${messageOf(error)}; as root: ip ${args.join(" ")}`);
  }
}
