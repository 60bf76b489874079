import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Progress } from "./artifact.ts";
import { withLock } from "./cache-lock.ts";
import { ownCache } from "./own-cache.ts";
import { commandRunner } from "../host/command-runner.ts";
import { findOnPath } from "../host/search-path.ts";

/** Install command, and index of the name in `HostPackage`. apt-get is run; the others' commands are only printed. */
const packageManagers = {
  "apt-get": { install: "install --no-install-recommends", names: 0 },
  dnf: { install: "install", names: 2 },
  pacman: { install: "-S --needed", names: 3 },
  zypper: { install: "install", names: 4 },
} as const;

export type PackageManager = keyof typeof packageManagers;

const updateTimeoutSeconds = 300;
const installTimeoutSeconds = 1800;

/** A host on which programs are looked for and installed. */
export interface PackageHost {
  readonly isRoot: boolean;
  find(executable: string): Promise<string | undefined>;
}

/** The packages whose program is missing. @throws with the command for the user unless root can run apt-get. */
export async function packagesToInstall(
  names: readonly string[],
  host: PackageHost,
): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const name of [...new Set(names)].sort()) {
    if (!(await isInstalled(name, host))) missing.push(name);
  }
  if (missing.length === 0) return [];
  const manager = await findPackageManager(host);
  if (manager === "apt-get" && host.isRoot) return missing;
  throw new Error(missingText(missing, manager));
}

async function findPackageManager(host: PackageHost): Promise<PackageManager | undefined> {
  for (const manager of Object.keys(packageManagers) as PackageManager[]) {
    if ((await host.find(manager)) !== undefined) return manager;
  }
  return undefined;
}

function installCommand(manager: PackageManager, debianNames: readonly string[]): string {
  const { install, names } = packageManagers[manager];
  const packages = new Set(debianNames.map((name) => hostPackage(name)[names]));
  return `sudo ${manager} ${install} ${[...packages].join(" ")}`;
}

export function installText(
  manager: PackageManager | undefined,
  debianNames: readonly string[],
): string {
  return manager === undefined
    ? `install what Debian has in ${debianNames.join(", ")}`
    : installCommand(manager, debianNames);
}

export function thisPackageManager(): Promise<PackageManager | undefined> {
  return findPackageManager(thisHost);
}

/** The command that starts a daemon now and with the host. Sockets start the several daemons of Fedora's libvirt. */
export function startCommand(
  daemon: "docker" | "libvirt",
  manager: PackageManager | undefined,
): string {
  const libvirt =
    manager === "dnf"
      ? "virtqemud.socket virtnetworkd.socket virtstoraged.socket virtproxyd.socket"
      : "libvirtd";
  return `sudo systemctl enable --now ${daemon === "docker" ? "docker" : libvirt}`;
}

/** The command that lets a user access a daemon, effective from the next login. */
export function joinCommand(group: "docker" | "libvirt"): string {
  return `sudo usermod -aG ${group} $USER`;
}

/** Installs packages. @throws with the command to run if this process may not or cannot install them. */
export async function ensureHostPackages(
  names: readonly string[],
  say: Progress,
  host = thisHost,
): Promise<void> {
  if ((await packagesToInstall(names, host)).length === 0) return;
  // apt-get waits for another one that installs, but not for one that updates the lists.
  const lock = path.join(ownCache(), "locks", "host-packages");
  const install = async (): Promise<void> => {
    const missing = await packagesToInstall(names, host);
    if (missing.length === 0) return;
    say(`installing host packages: ${missing.join(" ")}`);
    await installWithApt(missing, say);
  };
  await withLock(lock, updateTimeoutSeconds + installTimeoutSeconds, install, ({ pid }) =>
    say(`process ${pid} is installing host packages, waiting`),
  );
}

async function installWithApt(packages: readonly string[], say: Progress): Promise<void> {
  const logFile = path.join(ownCache(), "logs", "host-packages.log");
  await mkdir(path.dirname(logFile), { recursive: true });
  await writeFile(logFile, "");
  const run = commandRunner(logFile);
  // Another apt may be at work, e.g. unattended upgrades.
  const apt = (args: readonly string[], timeoutSeconds: number): Promise<string> =>
    run("apt-get", ["-o", "DPkg::Lock::Timeout=300", ...args], { timeoutSeconds });
  try {
    await apt(["update"], updateTimeoutSeconds);
  } catch (error) {
    say(`the package lists could not be updated (${String(error)}), going on with those there are`);
  }
  try {
    const install = ["install", "-y", "--no-install-recommends", ...packages];
    await apt(install, installTimeoutSeconds);
  } catch (error) {
    throw new Error(
      `the host packages ${packages.join(" ")} could not be installed: see ${logFile}`,
      { cause: error },
    );
  }
}

function missingText(missing: readonly string[], manager: PackageManager | undefined): string {
  if (manager === undefined) {
    const programs = missing.map((name) => hostPackage(name)[1] ?? name);
    return `these programs are missing, install them and run this again: ${programs.join(", ")}`;
  }
  const why = manager === "apt-get" ? " (as root it is done for you)" : "";
  return `host packages are missing, install them and run this again${why}:\n  ${installCommand(manager, missing)}`;
}

async function isInstalled(name: string, host: PackageHost): Promise<boolean> {
  const [, gives] = hostPackage(name);
  return gives !== undefined && (await host.find(gives)) !== undefined;
}

function hostPackage(debianName: string): HostPackage {
  const found = hostPackages.find(([debian]) => debian === debianName);
  if (found === undefined) {
    throw new Error(`the host package ${debianName} is not in toolchain/host-packages.ts`);
  }
  return found;
}

/** Folders of administrators' programs, which an ordinary user's PATH lacks on Debian. */
export const systemFolders = "/usr/local/sbin:/usr/sbin:/sbin";

const thisHost: PackageHost = {
  isRoot: process.getuid?.() === 0,
  find: (executable) => findOnPath(executable, `${process.env.PATH ?? ""}:${systemFolders}`),
};

/** `gives` is an executable that shows that the package is installed; undefined if callers check for other files. */
type HostPackage = readonly [
  debian: string,
  gives: string | undefined,
  fedora: string,
  arch: string,
  suse: string,
];

export const hostPackages: readonly HostPackage[] = [
  // Not `docker`: a client alone may be on the PATH without any daemon.
  ["docker.io", "dockerd", "moby-engine", "docker", "docker"],
  ["libvirt-daemon-system", "libvirtd", "libvirt", "libvirt", "libvirt"],
  ["libvirt-clients", "virsh", "libvirt-client", "libvirt", "libvirt-client"],
  // DHCP and DNS of libvirt's networks.
  ["dnsmasq-base", "dnsmasq", "dnsmasq", "dnsmasq", "dnsmasq"],
  ["iptables", "iptables", "iptables-nft", "iptables-nft", "iptables"],
  // Not -core: that has no SPICE, which libvirt's provider gives each machine.
  ["qemu-system-x86", "qemu-system-x86_64", "qemu-system-x86", "qemu-system-x86", "qemu-x86"],
  // UEFI for machines.
  ["ovmf", undefined, "edk2-ovmf", "edk2-ovmf", "qemu-ovmf-x86_64"],
  ["curl", "curl", "curl", "curl", "curl"],
  ["qemu-utils", "qemu-img", "qemu-img", "qemu-img", "qemu-img"],
  // The libvirt provider changes domain definitions with it.
  ["xsltproc", "xsltproc", "libxslt", "libxslt", "libxslt-tools"],
  // The libvirt provider makes the identity CDs with `mkisofs`.
  ["genisoimage", "mkisofs", "genisoimage", "cdrtools", "mkisofs"],
  // Checks and queries libvirt's domain definitions.
  ["libxml2-utils", "xmllint", "libxml2", "libxml2", "libxml2-tools"],
  // Reads UDF, the file system of Microsoft's ISOs.
  ["p7zip-full", "7z", "7zip", "7zip", "7zip"],
  // Lists the Windows editions of an ISO.
  ["wimtools", "wiminfo", "wimlib-utils", "wimlib", "wimtools"],
  // Makes the CD with the answers for Windows Setup.
  ["xorriso", "xorriso", "xorriso", "libisoburn", "xorriso"],
  // Creates the stand-in for a Microsoft update.
  ["gcab", "gcab", "gcab", "gcab", "gcab"],
  // Unpacks Calico's programs for Windows in test/windows-binaries.
  ["xz-utils", "xz", "xz", "xz", "xz"],
  // Tests in test/e2e-full run an SSH server as a bastion and as another host.
  ["openssh-server", "sshd", "openssh-server", "openssh", "openssh-server"],
  // Tests in test/e2e-full simulate hosts with Open vSwitch.
  ["openvswitch-switch", "ovs-vswitchd", "openvswitch", "openvswitch", "openvswitch"],
  ["ovn-host", "ovn-controller", "ovn-host", "ovn", "ovn"],
  ["ovn-central", "ovn-northd", "ovn-central", "ovn", "ovn"],
  ["ethtool", "ethtool", "ethtool", "ethtool", "ethtool"],
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
  ["gcc", "gcc", "gcc", "gcc", "gcc"],
  // The tests of pods' packets.
  ["nftables", "nft", "nftables", "nftables", "nftables"],
  ["syslinux", "syslinux", "syslinux", "syslinux", "syslinux"],
  ["mtools", "mcopy", "mtools", "mtools", "mtools"],
  ["busybox-static", "busybox", "busybox", "busybox", "busybox-static"],
  // syslinux's boot sector. Other distributions have it in the package of the program.
  ["syslinux-common", "syslinux", "syslinux", "syslinux", "syslinux"],
  ["cpio", "cpio", "cpio", "cpio", "cpio"],
  ["dosfstools", "mkfs.fat", "dosfstools", "dosfstools", "dosfstools"],
  ["e2fsprogs", "mke2fs", "e2fsprogs", "e2fsprogs", "e2fsprogs"],
  // Network of test/windows-binaries.
  ["iproute2", "ip", "iproute", "iproute2", "iproute2"],
  // PowerShell for Windows, which finds Wine by itself, judges the scripts on it.
  ["wine64", undefined, "wine-core", "wine", "wine"],
  ["dpkg", "dpkg-deb", "dpkg", "dpkg", "dpkg"],
];
