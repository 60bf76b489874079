import * as z from "zod";

import { defaultBridge, labIdLabel, labNames } from "../../config/names.ts";
import { below, readXml } from "../../host/read-xml.ts";
import { Failure, messageOf } from "../../host/failure.ts";
import { lines, type Host, unlessGone } from "../../host/host.ts";
import { isLocal, virsh } from "../../host/virsh.ts";
import { containers } from "./containers.ts";
import { domains } from "../../components/machine/libvirt/domains.ts";
import { onEachHypervisor } from "../../components/machine/libvirt/host-resources.ts";
import { libvirtKind, statesOf } from "../../components/machine/libvirt/pools-and-networks.ts";
import {
  isLabPrefix,
  runningOf,
  stopIn,
  type HostResource,
  type ResourceKind,
  type Stop,
} from "../../components/host-resource.ts";

const linksSchema = z.array(
  z.object({
    ifname: z.string().optional(),
    ifindex: z.number().optional(),
    master: z.string().optional(),
  }),
);

/** Network interfaces of this host; none if `ip` is not installed. */
async function linksOf(host: Host, ...which: string[]): Promise<z.infer<typeof linksSchema>> {
  return linksSchema.parse(
    JSON.parse((await host.run("ip", ["-j", "link", "show", ...which])) || "[]"),
  );
}

async function bridgeOf(host: Host, lab: string): Promise<string | undefined> {
  const described = readXml(await virsh(host, "net-dumpxml", "--inactive", lab));
  return below(described, "network", "bridge")[0]?.attributes["name"];
}

async function isHere(host: Host, lab: string, state: "active" | "inactive"): Promise<boolean> {
  return isLocal(host.libvirtUri) && (await statesOf(host, "net")).get(lab) === state;
}

/**
 * A bridge whose libvirt network is stopped: after a reboot, Docker, which adopted the bridge, may start before libvirt and
 * create it itself. libvirt then refuses to start the network.
 */
const takenBridges: Stop = {
  kind: "bridge that exists before its libvirt network",
  verb: ["remove", "removed"],
  find: async (host, lab) => {
    if (!(await isHere(host, lab, "inactive"))) return [];
    const [name, links] = [await bridgeOf(host, lab), await linksOf(host)];
    if (name === undefined || !links.some(({ ifname }) => ifname === name)) return [];
    if ((await dockerBridgeOf(host, lab)) === name) {
      return [{ name, seen: "Docker created it, so libvirt cannot start its network on it" }];
    }
    const seen = "it is unknown who created it, and libvirt cannot start its network on it";
    return [{ name, seen, first: `if nothing uses it: ip link delete ${name} type bridge` }];
  },
  start: async (host, name) => {
    await asRoot(host, ["link", "delete", name, "type", "bridge"]);
  },
};

async function dockerBridgeOf(host: Host, lab: string): Promise<string | undefined> {
  const option = `{{index .Options "com.docker.network.bridge.name"}}`;
  return host.run("docker", ["network", "inspect", "--format", option, lab]).then(
    (text) => text?.trim(),
    () => undefined, // There is no such network.
  );
}

/** A network that libvirt reports as running, although its bridge is gone. */
const lostBridges: Stop = {
  kind: "bridge of the libvirt network",
  verb: ["recreate", "recreated"],
  find: async (host, lab) => {
    if (!(await isHere(host, lab, "active"))) return [];
    const [name, links] = [await bridgeOf(host, lab), await linksOf(host)];
    if (name === undefined || links.length === 0) return [];
    return links.some(({ ifname }) => ifname === name)
      ? []
      : [{ name, seen: "it is missing, although libvirt's network runs" }];
  },
  start: async (host, _name, lab) => {
    await virsh(host, "net-destroy", lab);
    await virsh(host, "net-start", lab);
  },
};

/**
 * A network's dnsmasq, which may have ended; without it, machines get no addresses. libvirt restarts it only when
 * libvirt itself starts, or the network is changed.
 */
const dnsmasq: Stop = {
  kind: "dnsmasq of the libvirt network",
  find: async (host, lab) => {
    if (!(await isHere(host, lab, "active"))) return [];
    const running = await host.run("ps", ["-e", "-o", "args="]);
    return running === undefined || new RegExp(`dnsmasq .*/${lab}\\.conf`).test(running)
      ? []
      : [{ name: lab }];
  },
  start: async (host, name) => {
    const update = ["net-update", name, "--live"];
    const entry = `<txt name="kindows-wake" value="x"/>`;
    await virsh(host, ...update, "add-last", "dns-txt", entry);
    await virsh(host, ...update, "delete", "dns-txt", entry);
  },
};

/**
 * Interfaces of running machines and containers that are in no bridge, because their network was removed and started again.
 */
export const ports: Stop = {
  kind: "network interface",
  verb: ["plug in", "plugged in"],
  find: async (host, lab) => {
    const links = isLocal(host.libvirtUri) ? await linksOf(host) : [];
    if (links.length === 0) return [];
    const owners = new Map([
      ...(await machinePorts(host, lab)),
      ...(await containerPorts(host, lab)),
    ]);
    return [...owners].flatMap(([port, owner]) => {
      const { ifname: name, master } =
        links.find(({ ifname, ifindex }) => ifname === port || ifindex === port) ?? {};
      // One in another bridge may have been put there on purpose.
      return name === undefined || master !== undefined
        ? []
        : [{ name, seen: `it is ${owner}'s, and is in no bridge` }];
    });
  },
  start: async (host, name, lab) => {
    const network = (host.of?.lab === lab ? host.of.usedNetwork : undefined) ?? lab;
    const bridge = (await bridgeOf(host, network)) ?? "";
    await asRoot(host, ["link", "set", "dev", name, "master", bridge]);
  },
};

/** The host's end of a machine's or a container's interface, by name or index, and its owner. */
type Port = readonly [string | number, owner: string];

async function machinePorts(host: Host, lab: string): Promise<readonly Port[]> {
  const found = await Promise.all(
    runningOf(await domains.find(host), lab).map(async ({ name }) =>
      lines(await virsh(host, "domiflist", name))
        .map((line) => line.split(/\s+/))
        .filter(([, type, source]) => type === "network" && source === lab)
        .map(([port = ""]): Port => [port, `the machine ${name}`]),
    ),
  );
  return found.flat();
}

async function containerPorts(host: Host, lab: string): Promise<readonly Port[]> {
  const found = await Promise.all(
    runningOf(await containers.find(host), lab).map(async ({ name }): Promise<Port[]> => {
      // Index of the interface's other end, which is on the host.
      const index = ["exec", name, "cat", "/sys/class/net/eth0/iflink"];
      const number = (await host.run("docker", index).catch(() => ""))?.trim() ?? "";
      return /^\d+$/.test(number) ? [[Number(number), `the container ${name}`]] : [];
    }),
  );
  return found.flat();
}

/** @throws with the command to run if this user lacks the permission. */
async function asRoot(host: Host, args: readonly string[]): Promise<void> {
  try {
    await host.run("ip", args);
  } catch (error) {
    throw new Failure(`${messageOf(error)}; as root: ip ${args.join(" ")}`);
  }
}

const network = libvirtKind("net", "libvirt network");

/** A lab's libvirt networks, with bridge, DHCP server and firewall rules. On other hypervisors, pools have the same name. */
export const libvirtNetworks: ResourceKind = {
  ...onEachHypervisor(network),
  owned: {
    "libvirt:index/network:Network": ({ id }) => [
      { identity: `libvirt network ${id}`, essential: true },
    ],
  },
  stops: [
    takenBridges,
    stopIn("inactive", network, async (host, name) => {
      await virsh(host, "net-start", name);
    }),
    lostBridges,
    dnsmasq,
  ],
};

export const dockerNetworks: ResourceKind = {
  kind: "docker network",

  find: async (host) => {
    const listed = await host.run("docker", [
      ...["network", "ls", "--no-trunc", "--filter", "name=^kindows-"],
      ...["--format", `{{.ID}} {{.Name}} {{.Label "${labIdLabel}"}}`],
    ]);
    return lines(listed)
      .map((line) => line.split(" "))
      .filter(([, name = ""]) => isLabPrefix(name))
      .map(([id = "", name = "", mark = ""]) => ({
        kind: dockerNetworks.kind,
        name,
        lab: name,
        identity: `docker network ${id}`,
        locator: id,
        mark,
      }));
  },

  owned: {
    "docker:index/network:Network": ({ id }) => [
      { identity: `docker network ${id}`, essential: true },
    ],
  },

  remove: async ({ locator }, host) => {
    const id = locator ?? "";
    const ids = async (): Promise<readonly string[]> =>
      lines(await host.run("docker", ["network", "ls", "--no-trunc", "--quiet"]));
    await host.run("docker", ["network", "rm", id]).catch(unlessGone(id, ids));
  },

  byHand: ({ name }) => `docker network rm ${name}`,
};

/**
 * Bridges without a network: libvirt or Docker died after creating one, before recording it.
 * Only a bridge with a lab's default name counts as the lab's. One with a name from the settings might not be; it is
 * removed with its libvirt network.
 */
export const bridges: ResourceKind = {
  kind: "bridge",

  find: async (host) =>
    (await bridgeNames(host)).flatMap((name): HostResource[] => {
      const lab = /^kw-(.+)$/.exec(name)?.[1];
      return lab !== undefined && defaultBridge(lab) === name
        ? [{ kind: bridges.kind, name, lab: labNames(lab).prefix, identity: `bridge ${name}` }]
        : [];
    }),

  owned: {
    "libvirt:index/network:Network": ({ outputs }) => [
      { identity: `bridge ${String(outputs?.["bridge"])}`, essential: false },
    ],
  },

  remove: async ({ name }, host) => {
    if (!(await bridgeNames(host)).includes(name)) {
      return; // Removed with its network.
    }
    const ports = lines(await host.run("ip", ["-o", "link", "show", "master", name]));
    if (ports.length > 0) {
      throw new Error(`the bridge ${name} still has ${ports.length} port(s): ${ports.join("; ")}`);
    }
    await host.run("ip", ["link", "delete", name, "type", "bridge"]);
  },

  byHand: ({ name }) => `ip link delete ${name} type bridge`,
};

async function bridgeNames(host: Host): Promise<readonly string[]> {
  // Some versions list an empty object for each other link.
  return (await linksOf(host, "type", "bridge")).flatMap(({ ifname }) => ifname ?? []);
}
