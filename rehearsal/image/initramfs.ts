import { chmod, copyFile, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { BuildCommand } from "./build-command.ts";

/**
 * Kernel modules the guest loads, in this order: virtio disk and network, and CD drives on IDE and virtio-scsi.
 *
 * The cloud kernel has no AHCI: it boots in 4 s without KVM where the general one takes 9 s.
 */
export const kernelModules: readonly string[] = [
  "virtio",
  "virtio_ring",
  "virtio_pci_modern_dev",
  "virtio_pci_legacy_dev",
  "virtio_pci",
  "virtio_blk",
  "failover",
  "net_failover",
  "virtio_net",
  "scsi_common",
  "scsi_mod",
  "virtio_scsi",
  "cdrom",
  "sr_mod",
  "libata",
  "ata_piix",
  "isofs",
];

/**
 * Writes the initramfs: busybox, the modules, and `../guest/initramfs-init`.
 *
 * @param root the guest's root, for busybox and modules.
 */
export async function writeInitramfs(
  root: string,
  work: string,
  file: string,
  run: BuildCommand,
): Promise<void> {
  await rm(work, { recursive: true, force: true });
  for (const folder of ["bin", "dev", "proc", "sys", "root", "modules"]) {
    await mkdir(join(work, folder), { recursive: true });
  }
  await copyFile(join(root, "bin/busybox"), join(work, "bin/busybox"));
  const available = new Map<string, string>();
  for (const entry of await readdir(join(root, "lib/modules"), {
    recursive: true,
    withFileTypes: true,
  })) {
    if (entry.name.endsWith(".ko")) {
      available.set(basename(entry.name, ".ko"), join(entry.parentPath, entry.name));
    }
  }
  for (const name of kernelModules) {
    const module = available.get(name);
    if (module === undefined) throw new Error(`the guest's kernel has no module ${name}`);
    await copyFile(module, join(work, "modules", `${name}.ko`));
  }
  const script = await readFile(join(import.meta.dirname, "../guest/initramfs-init"), "utf8");
  await writeFile(join(work, "modules/order"), `${kernelModules.join("\n")}\n`);
  await writeFile(join(work, "init"), script);
  await chmod(join(work, "init"), 0o755);
  await run("sh", [
    "-c",
    'cd "$0" && find . | cpio --quiet --create --format=newc | gzip -1 > "$1"',
    work,
    file,
  ]);
}
