/** Names of the same software on other distributions. */
export interface HostPackage {
  /** Name of the Debian package. */
  readonly debian: string;
  /**
   * Executable that shows that it is installed, however that was done. Undefined if it has other files, which the caller has
   * looked for.
   */
  readonly gives: string | undefined;
  readonly fedora: string;
  readonly arch: string;
  readonly suse: string;
}

/** Debian's name, the executable, and the names with Fedora, Arch and SUSE. */
const table: readonly (readonly [string, string | undefined, string, string, string])[] = [
  // Not `docker`: a client alone may be on the PATH without any daemon.
  ["docker.io", "dockerd", "moby-engine", "docker", "docker"],
  ["libvirt-daemon-system", "libvirtd", "libvirt", "libvirt", "libvirt"],
  ["libvirt-clients", "virsh", "libvirt-client", "libvirt", "libvirt-client"],
  // libvirt's networks lease their addresses through it.
  ["dnsmasq-base", "dnsmasq", "dnsmasq", "dnsmasq", "dnsmasq"],
  ["iptables", "iptables", "iptables-nft", "iptables-nft", "iptables"],
  // Not -core: that has no SPICE, which libvirt's provider gives each machine.
  ["qemu-system-x86", "qemu-system-x86_64", "qemu-system-x86", "qemu-system-x86", "qemu-x86"],
  // UEFI for machines.
  ["ovmf", undefined, "edk2-ovmf", "edk2-ovmf", "qemu-ovmf-x86_64"],
  // Downloads.
  ["curl", "curl", "curl", "curl", "curl"],
  ["qemu-utils", "qemu-img", "qemu-img", "qemu-img", "qemu-img"],
  // The libvirt provider changes domain definitions with it.
  ["xsltproc", "xsltproc", "libxslt", "libxslt", "libxslt-tools"],
  // The libvirt provider makes the identity CDs with `mkisofs`.
  ["genisoimage", "mkisofs", "genisoimage", "cdrtools", "mkisofs"],
  // Looks through descriptions of machines, with libvirt's schemas.
  ["libxml2-utils", "xmllint", "libxml2", "libxml2", "libxml2-tools"],
  // Reads UDF, the file system of Microsoft's ISOs.
  ["p7zip-full", "7z", "7zip", "7zip", "7zip"],
  // Says which Windows an ISO installs.
  ["wimtools", "wiminfo", "wimlib-utils", "wimlib", "wimtools"],
  // Makes the CD that answers Windows Setup's questions.
  ["xorriso", "xorriso", "xorriso", "libisoburn", "xorriso"],
  // Creates the stand-in for a Microsoft update.
  ["gcab", "gcab", "gcab", "gcab", "gcab"],
  // Tests in test/e2e-full run their own, as a bastion and as another host.
  ["openssh-server", "sshd", "openssh-server", "openssh", "openssh-server"],
  ["shellcheck", "shellcheck", "ShellCheck", "shellcheck", "ShellCheck"],
  ["jq", "jq", "jq", "jq", "jq"],
  ["debootstrap", "debootstrap", "debootstrap", "debootstrap", "debootstrap"],
  [
    "gcc-mingw-w64-x86-64",
    "x86_64-w64-mingw32-gcc",
    "mingw64-gcc",
    "mingw-w64-gcc",
    "mingw64-cross-gcc",
  ],
  ["syslinux", "syslinux", "syslinux", "syslinux", "syslinux"],
  ["mtools", "mcopy", "mtools", "mtools", "mtools"],
  ["busybox-static", "busybox", "busybox", "busybox", "busybox-static"],
  // Its boot sector; comes with the program, whose package the other distributions put it in.
  ["syslinux-common", "syslinux", "syslinux", "syslinux", "syslinux"],
  ["cpio", "cpio", "cpio", "cpio", "cpio"],
  ["dosfstools", "mkfs.fat", "dosfstools", "dosfstools", "dosfstools"],
  ["e2fsprogs", "mke2fs", "e2fsprogs", "e2fsprogs", "e2fsprogs"],
  // The network of the tests that put Windows programs before what the steps write.
  ["iproute2", "ip", "iproute", "iproute2", "iproute2"],
  ["dpkg", "dpkg-deb", "dpkg", "dpkg", "dpkg"],
];

/** Everything that the project may need on a host. */
export const hostPackages: readonly HostPackage[] = table.map(
  ([debian, gives, fedora, arch, suse]) => ({ debian, gives, fedora, arch, suse }),
);
