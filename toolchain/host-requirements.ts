import type { DaemonState } from "./daemon-state.ts";

/** Programs that the libvirt provider runs on this host, wherever the machines are. */
const providerPackages = ["libvirt-clients", "xsltproc", "genisoimage"];

const hypervisorPackages = [
  "libvirt-daemon-system",
  "dnsmasq-base",
  "iptables",
  "qemu-system-x86",
  "qemu-utils",
];

/** Debian packages that a lab with these settings needs on this host. A daemon that answers needs none. */
export function requiredPackages(
  settings: { readonly hypervisor: { readonly uri: string } },
  daemons: { readonly docker: DaemonState; readonly libvirt: DaemonState },
): readonly string[] {
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

export function isLocal(uri: string): boolean {
  return /^[a-z]+(\+unix)?:\/\/\/(system|session)/.test(uri);
}
