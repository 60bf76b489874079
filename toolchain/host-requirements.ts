import type { DaemonState } from "./daemon-state.ts";

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
export function requiredPackages(
  settings: { readonly hypervisor: { readonly uri: string } },
  daemons: { readonly docker: DaemonState; readonly libvirt: DaemonState },
): readonly string[] {
  const libvirtPackages = isLocal(settings.hypervisor.uri) ? hypervisorPackages : [];
  return [
    ...providerPackages,
    ...dockerPackages(daemons.docker),
    // A libvirt that runs may be one of the newer, split daemons, for which `libvirtd` is no sign.
    ...libvirtPackages.filter(
      (name) => name !== "libvirt-daemon-system" || daemons.libvirt.kind === "silent",
    ),
  ];
}

/** Debian packages that a Docker on this host needs; one that answers needs none, from wherever it came. */
export function dockerPackages(docker: DaemonState): readonly string[] {
  return docker.kind === "silent" ? ["docker.io"] : [];
}

/** Whether a libvirt connection is to this host: it names no other one. */
export function isLocal(uri: string): boolean {
  return /^[a-z]+(\+unix)?:\/\/\/(system|session)/.test(uri);
}
