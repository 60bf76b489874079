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
  kernelArguments:
    "console=ttyS0 quiet mitigations=off nokaslr norandmaps highres=off no_timer_check tsc=reliable random.trust_cpu=on panic=10",
  // Files are few and large; the default would make a million.
  inodes: 65_536,
};
