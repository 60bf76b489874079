/** How the same software is called by the package managers of other distributions. */
export interface HostPackage {
  /** Name of the Debian package. */
  readonly debian: string;
  /**
   * Executables that are all there once it is installed, however that was done. None: it brings other files, and who
   * asks for it has looked for them.
   */
  readonly gives: readonly string[];
  readonly fedora: string;
  readonly arch: string;
  readonly suse: string;
}

/** Everything that the project ever asks a host for. */
export const hostPackages: readonly HostPackage[] = [
  {
    debian: "docker.io",
    // Not `docker`: a client alone may be on the PATH without any daemon.
    gives: ["dockerd"],
    fedora: "moby-engine",
    arch: "docker",
    suse: "docker",
  },
  {
    debian: "libvirt-daemon-system",
    gives: ["libvirtd"],
    fedora: "libvirt",
    arch: "libvirt",
    suse: "libvirt",
  },
  {
    debian: "libvirt-clients",
    gives: ["virsh"],
    fedora: "libvirt-client",
    arch: "libvirt",
    suse: "libvirt-client",
  },
  {
    // libvirt's networks lease their addresses through it.
    debian: "dnsmasq-base",
    gives: ["dnsmasq"],
    fedora: "dnsmasq",
    arch: "dnsmasq",
    suse: "dnsmasq",
  },
  {
    debian: "iptables",
    gives: ["iptables"],
    fedora: "iptables-nft",
    arch: "iptables-nft",
    suse: "iptables",
  },
  {
    debian: "qemu-system-x86",
    gives: ["qemu-system-x86_64"],
    // Not -core: that has no SPICE, which libvirt's provider gives each machine.
    fedora: "qemu-system-x86",
    arch: "qemu-system-x86",
    suse: "qemu-x86",
  },
  {
    // UEFI for machines.
    debian: "ovmf",
    gives: [],
    fedora: "edk2-ovmf",
    arch: "edk2-ovmf",
    suse: "qemu-ovmf-x86_64",
  },
  {
    // Downloads.
    debian: "curl",
    gives: ["curl"],
    fedora: "curl",
    arch: "curl",
    suse: "curl",
  },
  {
    debian: "qemu-utils",
    gives: ["qemu-img"],
    fedora: "qemu-img",
    arch: "qemu-img",
    suse: "qemu-img",
  },
  {
    // The libvirt provider changes domain definitions with it.
    debian: "xsltproc",
    gives: ["xsltproc"],
    fedora: "libxslt",
    arch: "libxslt",
    suse: "libxslt-tools",
  },
  {
    // The libvirt provider makes the identity CDs with `mkisofs`.
    debian: "genisoimage",
    gives: ["mkisofs"],
    fedora: "genisoimage",
    arch: "cdrtools",
    suse: "mkisofs",
  },
  {
    // Looks through descriptions of machines, with libvirt's schemas.
    debian: "libxml2-utils",
    gives: ["xmllint"],
    fedora: "libxml2",
    arch: "libxml2",
    suse: "libxml2-tools",
  },
  {
    // Reads UDF, the file system of Microsoft's ISOs.
    debian: "p7zip-full",
    gives: ["7z"],
    fedora: "7zip",
    arch: "7zip",
    suse: "7zip",
  },
  {
    // Says which Windows an ISO installs.
    debian: "wimtools",
    gives: ["wiminfo"],
    fedora: "wimlib-utils",
    arch: "wimlib",
    suse: "wimtools",
  },
  {
    // Makes the CD that answers Windows Setup's questions.
    debian: "xorriso",
    gives: ["xorriso"],
    fedora: "xorriso",
    arch: "libisoburn",
    suse: "xorriso",
  },
  {
    // Makes what stands in for an update of Microsoft's.
    debian: "gcab",
    gives: ["gcab"],
    fedora: "gcab",
    arch: "gcab",
    suse: "gcab",
  },
  {
    // Tests of test/e2e-full run one of their own, as a bastion and as another host.
    debian: "openssh-server",
    gives: ["sshd"],
    fedora: "openssh-server",
    arch: "openssh",
    suse: "openssh-server",
  },
  {
    debian: "shellcheck",
    gives: ["shellcheck"],
    fedora: "ShellCheck",
    arch: "shellcheck",
    suse: "ShellCheck",
  },
  {
    debian: "jq",
    gives: ["jq"],
    fedora: "jq",
    arch: "jq",
    suse: "jq",
  },
  {
    debian: "debootstrap",
    gives: ["debootstrap"],
    fedora: "debootstrap",
    arch: "debootstrap",
    suse: "debootstrap",
  },
  {
    debian: "gcc-mingw-w64-x86-64",
    gives: ["x86_64-w64-mingw32-gcc"],
    fedora: "mingw64-gcc",
    arch: "mingw-w64-gcc",
    suse: "mingw64-cross-gcc",
  },
  {
    debian: "syslinux",
    gives: ["syslinux"],
    fedora: "syslinux",
    arch: "syslinux",
    suse: "syslinux",
  },
  {
    debian: "mtools",
    gives: ["mcopy"],
    fedora: "mtools",
    arch: "mtools",
    suse: "mtools",
  },
  {
    debian: "busybox-static",
    gives: ["busybox"],
    fedora: "busybox",
    arch: "busybox",
    suse: "busybox-static",
  },
  {
    // Its boot sector; comes with the program, whose package the other distributions put it in.
    debian: "syslinux-common",
    gives: ["syslinux"],
    fedora: "syslinux",
    arch: "syslinux",
    suse: "syslinux",
  },
  {
    debian: "cpio",
    gives: ["cpio"],
    fedora: "cpio",
    arch: "cpio",
    suse: "cpio",
  },
  {
    debian: "dosfstools",
    gives: ["mkfs.fat"],
    fedora: "dosfstools",
    arch: "dosfstools",
    suse: "dosfstools",
  },
  {
    debian: "e2fsprogs",
    gives: ["mke2fs"],
    fedora: "e2fsprogs",
    arch: "e2fsprogs",
    suse: "e2fsprogs",
  },
  {
    // The network of the tests that put Windows programs before what the steps write.
    debian: "iproute2",
    gives: ["ip"],
    fedora: "iproute",
    arch: "iproute2",
    suse: "iproute2",
  },
  {
    debian: "dpkg",
    gives: ["dpkg-deb"],
    fedora: "dpkg",
    arch: "dpkg",
    suse: "dpkg",
  },
];
