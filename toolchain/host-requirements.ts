import { isLocal } from "../host/virsh.ts";
import type { Progress } from "./artifact.ts";
import { type DaemonState, dockerState, libvirtState } from "./daemons.ts";
import { ensureHostPackages } from "./host-packages.ts";

/** Programs that the libvirt provider runs on this host, wherever the machines are. */
const providerPackages = ["libvirt-clients", "xsltproc", "genisoimage"];

const hypervisorPackages = [
  "libvirt-daemon-system",
  "dnsmasq-base",
  "iptables",
  "qemu-system-x86",
  "qemu-utils",
];

interface Daemons {
  readonly docker: DaemonState;
  readonly libvirt: DaemonState;
}

interface HostSettings {
  readonly hypervisor: { readonly uri: string };
}

/**
 * Installs the packages that a lab needs on this host, and further ones, all at once, so that a user who may not install
 * them gets one message.
 *
 * @returns the daemons' state before the installation.
 */
export async function ensureLabPackages(
  settings: HostSettings,
  more: readonly string[],
  say: Progress,
): Promise<Daemons> {
  const { uri } = settings.hypervisor;
  const [docker, libvirt] = await Promise.all([dockerState(), libvirtState(uri)]);
  await ensureHostPackages([...requiredPackages(settings, { docker, libvirt }), ...more], say);
  return { docker, libvirt };
}

/** Debian packages that a lab with these settings needs on this host. A daemon that answers needs none. */
export function requiredPackages(settings: HostSettings, daemons: Daemons): readonly string[] {
  const libvirtPackages = isLocal(settings.hypervisor.uri) ? hypervisorPackages : [];
  return [
    ...providerPackages,
    ...dockerPackages(daemons.docker),
    // A running libvirt may consist of the newer, split daemons, which have no `libvirtd`.
    ...libvirtPackages.filter(
      (name) => name !== "libvirt-daemon-system" || daemons.libvirt.kind === "silent",
    ),
  ];
}

/** Debian packages for Docker on this host; none if it answers, however it was installed. */
export function dockerPackages(docker: DaemonState): readonly string[] {
  return docker.kind === "silent" ? ["docker.io"] : [];
}
