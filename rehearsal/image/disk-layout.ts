import type { DiskLayout } from "../../toolchain/boot-disk/boot-disk.ts";

/** The guest's disk. */
export const guestDisk: DiskLayout = {
  // Drive C: of a real server would not be smaller.
  diskGiB: 16,
  bootMiB: 32,
  // Emulated CPUs pay for every defence against attacks on real ones, and this guest runs nobody's code but Kubernetes'
  // own; messages go to the serial console, which `virsh console` shows. Without random addresses a library's code is
  // translated once for all programs, and with coarse timers a program that looks every 20 us, as each of Go's does,
  // looks every 4 ms: with what wine-process.ts gives Go's programs, 15 % less CPU from power-on to Ready.
  //
  // Not tsc=reliable: where several machines boot at once, one in eight takes the frequency of its TSC for a tenth or a
  // twentieth of what it is, and its clock then runs that much too fast. Linux notices by the ACPI timer, unless told
  // not to look, and goes by that.
  kernelArguments:
    "console=ttyS0 quiet mitigations=off nokaslr norandmaps highres=off no_timer_check random.trust_cpu=on panic=10",
  // Files are few and large; the default would make a million.
  inodes: 65_536,
};
