import { chmod, chown, stat } from "node:fs/promises";
import { execa } from "execa";

const device = "/dev/kvm";
const groupMayUse = 0o660;

/**
 * Gives /dev/kvm to the group kvm, as udev does, where nothing has done so.
 *
 * libvirt finds out what QEMU can do as root, but trusts what it found only while QEMU's own user may use KVM too:
 * with a device for root alone it asks QEMU again at every single call, four to eight seconds each time
 * ("KVM was enabled when probing, but it is not available now", virQEMUCapsIsValid).
 */
export async function giveKvmToItsGroup(): Promise<void> {
  const found = await stat(device).catch(() => undefined);
  if (found === undefined || found.gid !== 0 || (found.mode & 0o777) !== 0o600) {
    return;
  }
  const group = await execa("getent", ["group", "kvm"], { reject: false });
  const gid = Number(group.stdout?.split(":")[2]);
  if (group.failed || !Number.isInteger(gid)) {
    return;
  }
  await chown(device, 0, gid);
  await chmod(device, groupMayUse);
}
