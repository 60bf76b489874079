import { isLocal } from "../../toolchain/host-requirements.ts";
import { domains } from "../lab/domains.ts";
import type { Host } from "../lab/host.ts";
import { lines, virsh } from "../lab/host.ts";
import type { Extent } from "./forget.ts";

/** Names of what stands still, and what it takes to start one of them. */
interface Sleeper {
  readonly kind: string;
  readonly idle: (host: Host, lab: string) => Promise<readonly string[]>;
  readonly start: (host: Host, name: string) => Promise<void>;
}

const pools: Sleeper = {
  kind: "libvirt pool",
  idle: async (host, lab) =>
    lines(await virsh(host, "pool-list", "--inactive", "--name")).filter((name) => name === lab),
  start: async (host, name) => {
    await virsh(host, "pool-build", name).catch(() => undefined); // Its folder is there already.
    await virsh(host, "pool-start", name);
  },
};

const networks: Sleeper = {
  kind: "libvirt network",
  idle: async (host, lab) =>
    lines(await virsh(host, "net-list", "--inactive", "--name")).filter((name) => name === lab),
  start: async (host, name) => {
    await virsh(host, "net-start", name);
  },
};

/**
 * A network's dnsmasq, which somebody may have ended: without it no machine gets its address. libvirt looks after it only
 * when it starts itself, and when the network is changed.
 */
const leases: Sleeper = {
  kind: "dnsmasq of the libvirt network",
  idle: async (host, lab) => {
    if (!isLocal(host.libvirtUri)) {
      return [];
    }
    const active = lines(await virsh(host, "net-list", "--name")).filter((name) => name === lab);
    const running = await host.run("ps", ["-e", "-o", "args="]);
    return running === undefined
      ? []
      : active.filter((name) => !new RegExp(`dnsmasq .*/${name}\\.conf`).test(running));
  },
  start: async (host, name) => {
    const update = ["net-update", name, "--live"];
    const entry = `<txt name="kindows-wake" value="x"/>`;
    await virsh(host, ...update, "add-last", "dns-txt", entry);
    await virsh(host, ...update, "delete", "dns-txt", entry);
  },
};

const containers: Sleeper = {
  kind: "docker container",
  idle: async (host, lab) =>
    lines(
      await host.run("docker", [
        ...["ps", "--all", "--filter", "status=exited", "--format", "{{.Names}}"],
        ...["--filter", `label=io.x-k8s.kind.cluster=${lab}`],
      ]),
    ),
  start: async (host, name) => {
    await host.run("docker", ["start", name]);
  },
};

const machines: Sleeper = {
  kind: domains.kind,
  idle: async (host, lab) => {
    const off = lines(await virsh(host, "list", "--state-shutoff", "--name"));
    const ofLab = (await domains.find(host)).filter((thing) => thing.lab === lab);
    return ofLab.map((thing) => thing.name).filter((name) => off.includes(name));
  },
  start: async (host, name) => {
    await virsh(host, "start", name);
  },
};

/** In the order they need each other. For removing a lab only its pool must run: it deletes the disks. */
const sleepers = {
  "built-on": [pools, networks, leases, containers, machines],
  "deleted-with": [pools],
} satisfies Record<Extent, readonly Sleeper[]>;

/**
 * Starts what a lab has on this host but what does not run, as after a reboot: the engine only looks at whether it
 * exists.
 *
 * @param say Gets one line for each thing that was started.
 */
export async function wakeLab(
  lab: string,
  host: Host,
  extent: Extent,
  say: (line: string) => void,
): Promise<void> {
  for (const { kind, idle, start } of sleepers[extent]) {
    for (const name of await idle(host, lab)) {
      await start(host, name);
      say(`started ${kind} ${name}`);
    }
  }
}
