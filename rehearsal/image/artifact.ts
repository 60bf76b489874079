import { copyFile, cp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Artifact } from "../../toolchain/artifact.ts";
import { writeBootDisk, type DiskLayout } from "../../toolchain/boot-disk.ts";
import { projectRoot } from "../../toolchain/project.ts";
import { hashSources } from "../../toolchain/tools/sources-hash.ts";
import {
  agnhostWindows,
  cniPluginsWindows,
  containerdVersion,
  containerdWindows,
  flannelPluginWindows,
  flannelWindows,
  kubeProxyWindows,
  kubernetesWindows,
} from "../../toolchain/tools/table.ts";
import { rehearsedBuild } from "../machine/windows-version.ts";
import { buildCommand, requireRootOfOwn } from "./build-command.ts";
import { calicoInGuest, imagesOfCalico } from "./calico-programs.ts";
import { rehearsalDebian } from "./debian.ts";
import { driveC, makeGuestRoot, removeBuildFiles } from "./guest-root.ts";
import { guestTools, rehearsalCri, rehearsalCurl, rehearsalNslookup } from "./guest-tools.ts";
import { writeInitramfs } from "./initramfs.ts";
import { copyModules } from "./kernel-modules.ts";
import { writeMedia } from "./media.ts";

/** Names of the files in the artifact's folder. */
export const diskName = "guest.qcow2";
export const manifestName = "manifest.json";

/** Sources of the image, including everything that the guest's program may import. Relative to the project. */
export const imageSources: readonly string[] = [
  ...[
    "package-lock.json",
    "host/command-runner.ts",
    "host/write-whole.ts",
    "toolchain/boot-disk.ts",
    "components/cni/flannel/release.ts",
  ],
  ...["image", "guest", "machine", "windows", "wine", "powershell"].map(
    (name) => `rehearsal/${name}/`,
  ),
];

/** The files in C:\rehearsal: artifact, name in the artifact, path. */
const programsOnDriveC = [
  [rehearsalCri, "rehearsal-cri.exe", "rehearsal-cri.exe"],
  // Images of containers that run. As in agnhost's image for Windows, its program has no extension and curl.exe is
  // included; nslookup.exe stands in for Windows' own.
  [agnhostWindows, "agnhost.exe", "images/agnhost/agnhost"],
  [rehearsalCurl, "curl.exe", "images/agnhost/curl.exe"],
  [rehearsalNslookup, "nslookup.exe", "images/agnhost/nslookup.exe"],
  [kubeProxyWindows, "kube-proxy.exe", "images/kube-proxy/kube-proxy/kube-proxy.exe"],
] as const;

/** In load order. The cloud kernel has no AHCI, but without KVM it boots in 4 s instead of the general kernel's 9 s. */
const kernelModules = [
  ...["virtio", "virtio_ring", "virtio_pci_modern_dev", "virtio_pci_legacy_dev", "virtio_pci"],
  ...["virtio_blk", "failover", "net_failover", "virtio_net", "scsi_common", "scsi_mod"],
  ...["virtio_scsi", "cdrom", "sr_mod", "libata", "ata_piix", "isofs"],
];

/** For the firewall and pods' networks (guest/network), in load order. */
const networkModules = [
  ...["veth", "udp_tunnel", "ip6_udp_tunnel", "vxlan", "libcrc32c", "nfnetlink", "nf_tables"],
  ...["nf_defrag_ipv4", "nf_defrag_ipv6", "nf_conntrack", "nf_nat", "nft_chain_nat", "nft_nat"],
  ...["nft_masq", "nft_ct", "nft_numgen", "nft_hash", "nft_fib", "nft_fib_ipv4"],
];

/** The rehearsal guest's disk. The build needs no loop devices and, of the guest's programs, only starts Wine. */
export const rehearsalImage: Artifact = {
  name: "rehearsal-image",
  needs: [rehearsalDebian, ...guestTools, ...(calicoInGuest ? [calicoInGuest] : [])],
  seconds: 60,
  hostPackages: [
    ...["cpio", "dosfstools", "e2fsprogs", "gcc", "gcc-mingw-w64-x86-64", "mtools", "qemu-utils"],
    ...["syslinux", "syslinux-common"],
  ],
  check: requireRootOfOwn,
  inputs: async () => ({
    sources: await hashSources(
      projectRoot,
      imageSources.map((name) => join(projectRoot, name)),
      (file) => !file.endsWith(".md"),
    ),
    node: process.version,
  }),
  async build(into, context) {
    const run = buildCommand(context.logFile);
    const work = join(into, "work");
    const root = join(into, "root");
    await mkdir(root);
    await mkdir(work);
    await run("tar", ["-xf", join(context.path(rehearsalDebian), "root.tar"), "-C", root]);
    context.progress("makes drive C: and the guest's programs");
    await makeGuestRoot(root, run);
    for (const [artifact, name, target] of programsOnDriveC) {
      const file = join(driveC(root), "rehearsal", target);
      await mkdir(dirname(file), { recursive: true });
      await copyFile(join(context.path(artifact), name), file);
    }
    const calico = calicoInGuest && context.path(calicoInGuest);
    if (calico !== undefined) {
      const from = imagesOfCalico.map((image) => join(calico, image));
      // Keeps hard links.
      await run("cp", ["-a", ...from, join(driveC(root), "rehearsal/images")]);
    }
    const media = await writeMedia(
      {
        containerdVersion,
        containerd: context.path(containerdWindows),
        kubernetes: context.path(kubernetesWindows),
        flannel: context.path(flannelWindows),
        flannelPlugin: context.path(flannelPluginWindows),
        cniPlugins: context.path(cniPluginsWindows),
      },
      join(driveC(root), "kindows/media"),
      work,
    );
    const initramfs = join(work, "initramfs.gz");
    const contents = {
      init: join(import.meta.dirname, "../guest/initramfs-init"),
      modules: kernelModules,
      modulesFolder: join(root, "lib/modules"),
      files: { "bin/busybox": join(root, "bin/busybox") },
    };
    await writeInitramfs(contents, join(work, "initramfs"), initramfs, run);
    const kernel = join(work, "vmlinuz");
    await copyFile(await kernelOf(root), kernel);
    await copyModules(networkModules, join(root, "lib/modules"), join(work, "network"));
    await removeBuildFiles(root);
    await cp(join(work, "network"), join(root, "lib/modules/network"), { recursive: true });
    context.progress("writes and compresses the disk");
    const files = { image: join(into, diskName), work };
    await writeBootDisk({ root, kernel, initramfs }, guestDisk, files, run);
    const manifest = { windowsBuild: rehearsedBuild, media };
    await writeFile(join(into, manifestName), `${JSON.stringify(manifest, undefined, 2)}\n`);
    await rm(root, { recursive: true });
    await rm(work, { recursive: true });
  },
};

async function kernelOf(root: string): Promise<string> {
  const kernels = (await readdir(join(root, "boot"))).filter((name) => name.startsWith("vmlinuz-"));
  const [kernel, ...others] = kernels;
  if (kernel === undefined || others.length > 0) {
    throw new Error(
      `expected one kernel in the guest's boot folder, found ${kernels.join(", ") || "none"}`,
    );
  }
  return join(root, "boot", kernel);
}

const guestDisk: DiskLayout = {
  // A real server's drive C: is at least this large.
  diskGiB: 16,
  bootMiB: 32,
  // Messages go to the serial console, which `virsh console` shows. CPU mitigations are expensive on emulated CPUs and not
  // needed, because this guest only runs Kubernetes' own code. Without address randomization QEMU translates a library's
  // code once for all programs. With coarse timers Go programs, which poll every 20 us, poll every 4 ms. Together with
  // wine-process.ts's settings for Go this saves 15 % of the CPU time from power-on to Ready.
  //
  // Not tsc=reliable: if several machines boot at once, one in eight measures a tenth or a twentieth of its TSC's
  // frequency, so its clock runs too fast. By default Linux notices this by the ACPI timer and switches to that.
  kernelArguments:
    "console=ttyS0 quiet mitigations=off nokaslr norandmaps highres=off no_timer_check random.trust_cpu=on panic=10",
  // There are few, large files. The default would be a million.
  inodes: 65_536,
};
