import { execa } from "execa";
import { bridge } from "./outside-names.ts";
import { SshDaemon, type KeyFile } from "./ssh-daemon.ts";

/** Network namespace that stands for a host of its own. */
const namespace = "outside-jump";

const [portHere, portThere] = ["outside-jump0", "eth0"];

const ip = (...args: string[]): Promise<unknown> => execa("ip", args);

/** A host on the segment with nothing but an SSH server: a network namespace with one end of a cable. */
export async function startBastion(
  address: string,
  folder: string,
  login: KeyFile,
): Promise<SshDaemon> {
  await ip("netns", "add", namespace);
  await ip("link", "add", portHere, "type", "veth", "peer", portThere, "netns", namespace);
  await ip("link", "set", portHere, "master", bridge, "up");
  await ip("-n", namespace, "address", "add", `${address}/24`, "dev", portThere);
  await ip("-n", namespace, "link", "set", portThere, "up");
  await ip("-n", namespace, "link", "set", "lo", "up");
  return SshDaemon.start({ folder, address, port: 22, login, namespace });
}

/** Removes the namespace and its cable; fine when there is none. */
export async function removeBastion(): Promise<void> {
  await execa("ip", ["link", "delete", portHere], { reject: false });
  await execa("ip", ["netns", "delete", namespace], { reject: false });
}

const rule = (address: string): string[] => [
  ...["OUTPUT", "-d", address, "-p", "tcp", "--dport", "22", "-j", "REJECT"],
];

/** From now on this host itself does not get at a machine's SSH server, as where a firewall stands in between. */
export async function shutOut(address: string): Promise<void> {
  await execa("iptables", ["-I", ...rule(address)]);
}

/** Takes that back; fine when it was not done. */
export async function letIn(address: string): Promise<void> {
  await execa("iptables", ["-D", ...rule(address)], { reject: false });
}
