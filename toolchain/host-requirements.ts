import type { Settings } from "../config/settings.ts";
import { dockerState, libvirtState } from "./daemon-state.ts";

/** What the libvirt provider runs on this host, wherever the machines are. */
const providerPackages = ["libvirt-clients", "xsltproc", "genisoimage"];

/** What a hypervisor on this host needs. */
const hypervisorPackages = [
  "libvirt-daemon-system",
  "dnsmasq-base",
  "iptables",
  "qemu-system-x86",
  "qemu-utils",
];

/** Debian packages that a lab with these settings needs on this host. A daemon that answers needs none. */
export async function requiredPackages(settings: Settings): Promise<readonly string[]> {
  const { uri } = settings.hypervisor;
  const [docker, libvirt] = await Promise.all([dockerState(), libvirtState(uri)]);
  return [
    ...providerPackages,
    ...(docker.kind === "silent" ? ["docker.io"] : []),
    ...(isLocal(uri) ? hypervisorPackages.filter((name) => needed(name, libvirt.kind)) : []),
  ];
}

/** Whether a libvirt connection is to this host: it names no other one. */
export function isLocal(uri: string): boolean {
  return /^[a-z]+(\+unix)?:\/\/\/(system|session)/.test(uri);
}

function needed(name: string, libvirt: "running" | "denied" | "silent"): boolean {
  // A libvirt that runs may be one of the newer, split daemons, for which `libvirtd` is no sign.
  return name !== "libvirt-daemon-system" || libvirt === "silent";
}
