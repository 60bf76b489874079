import { execa } from "execa";

export async function ip(...args: readonly string[]): Promise<void> {
  await execa("ip", args);
}

export interface Cable {
  readonly namespace: string;
  /** Address of the namespace's interface, `eth0`, with its prefix length. */
  readonly address: string;
  /** Name of the other end, on this host or in another namespace, and in a bridge if one is named. */
  readonly end: string;
  readonly outside?: string;
  readonly bridge?: string;
  readonly mtu?: number;
}

/** Makes a network namespace with an interface. */
export async function addNamespace(cable: Cable): Promise<void> {
  const { namespace, address, end, bridge, mtu = 1500 } = cable;
  const outside = cable.outside === undefined ? [] : ["-n", cable.outside];
  const inside = ["-n", namespace];
  await ip("netns", "add", namespace);
  const peer = ["type", "veth", "peer", "name", "eth0", "netns", namespace];
  await ip(...outside, "link", "add", end, "mtu", `${mtu}`, ...peer);
  await ip(...outside, "link", "set", end, ...(bridge ? ["master", bridge] : []), "up");
  await ip(...inside, "link", "set", "lo", "up");
  await ip(...inside, "link", "set", "eth0", "mtu", `${mtu}`, "up");
  await ip(...inside, "address", "add", address, "dev", "eth0");
}

/** Removes network namespaces by the prefix of their names, with everything that runs in them. */
export async function removeNamespaces(prefix: string): Promise<void> {
  const { stdout } = await execa("ip", ["netns", "list"]);
  const names = stdout.split("\n").map((line) => line.split(" ")[0] ?? "");
  for (const name of names.filter((each) => each.startsWith(prefix))) {
    const { stdout: found } = await execa("ip", ["netns", "pids", name], { reject: false });
    await execa("kill", found.split("\n").filter(Boolean), { reject: false });
    await ip("netns", "delete", name);
  }
}
