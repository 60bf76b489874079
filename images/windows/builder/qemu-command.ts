import type { UefiFirmware } from "../../../components/machine/libvirt/uefi-firmware.ts";

/** The temporary machine that Windows is installed on. Only its disk is kept. */
export interface BuilderMachine {
  /** `tcg` emulates the CPU, which is fast enough for tests but far too slow for Windows. */
  readonly accelerator: "kvm" | "tcg";
  readonly cpus: number;
  readonly memoryMiB: number;
  /** Undefined: BIOS. */
  readonly uefi: UefiFirmware | undefined;
  /** Private working directory of QEMU. Relative names refer to it. */
  readonly folder: string;
  readonly disk: string;
  /** Discs in the order of their drive letters: Windows' own, then the one with the answer file. */
  readonly discs: readonly string[];
}

/** The disk's size is the minimum for Windows. A machine's overlay can be larger, but not smaller. */
export const imageDiskGiB = 32;

/** Names of files in the machine's private folder. */
export const serialFile = "com1.log";
/** Screen and keyboard, for a VNC viewer. */
export const screenSocket = "vnc.sock";
export const uefiVariables = "uefi-variables.fd";

/** The disk's name for QEMU's monitor. */
export const diskNode = "disk";

/**
 * The Hyper-V enlightenments of the machines made from the image (`domain-xslt.ts`), plus `crash`, with which Windows
 * reports a blue screen (GUEST_PANICKED) that would otherwise look like any restart.
 */
const enlightenments = [
  ...["hv_relaxed", "hv_vapic", "hv_spinlocks=0xfff", "hv_vpindex", "hv_runtime", "hv_time"],
  ...["hv_synic", "hv_stimer", "hv_frequencies", "hv_tlbflush", "hv_ipi", "hv_crash"],
];

/**
 * Arguments of QEMU for the machine an image is built on. It starts paused, with QMP on standard input.
 *
 * The disk comes first in the boot order, Windows' disc second. Booting the empty disk fails, so the disc starts; after
 * Setup's first restart the disk starts. SeaBIOS 1.14 and later ignores virtio disks that are not in the boot order,
 * and Setup then cannot install on them.
 *
 * The network only allows this host to reach the SSH server. Everything to install is on the discs.
 */
export function qemuArguments(machine: BuilderMachine): string[] {
  const { accelerator, cpus, memoryMiB, uefi } = machine;
  const kvm = accelerator === "kvm";
  const pflash = uefi && ",pflash0=uefi-code,pflash1=uefi-variables";
  return [
    ...["-name", "kindows-image-builder", "-nodefaults", "-no-user-config", "-S"],
    // After a blue screen QEMU pauses, so that the screen can be examined, instead of exiting.
    ...["-action", "panic=pause"],
    ...["-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"],
    ...["-machine", `q35,accel=${accelerator},vmport=off,hpet=off${pflash ?? ""}`],
    ...["-cpu", kvm ? ["host", ...enlightenments].join(",") : "max"],
    ...["-smp", String(cpus), "-m", `${memoryMiB}M`],
    ...["-rtc", "base=utc,driftfix=slew"],
    ...["-chardev", "stdio,id=qmp,signal=off", "-mon", "chardev=qmp,mode=control"],
    ...["-chardev", `file,id=com1,path=${serialFile}`, "-serial", "chardev:com1"],
    ...["-display", "none", "-vga", "std", "-vnc", `unix:${screenSocket}`],
    ...["-device", "qemu-xhci", "-device", "usb-tablet"],
    ...(uefi === undefined
      ? []
      : [
          ...["-blockdev", file("uefi-code", uefi.code, { "read-only": true })],
          ...["-blockdev", file("uefi-variables", uefiVariables)],
        ]),
    ...["-blockdev", disk(machine.disk)],
    // A failed write stops the machine and is reported, instead of being passed to the guest.
    ...["-device", `${virtio("blk")},drive=${diskNode},bootindex=1,werror=stop,rerror=stop`],
    ...machine.discs.flatMap((disc, index) => [
      ...["-blockdev", file(`disc${index}`, disc, { "read-only": true })],
      ...["-device", `ide-cd,drive=disc${index},bus=ide.${index},bootindex=${index + 2}`],
    ]),
    ...["-netdev", "user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:0-:22"],
    ...["-device", `${virtio("net")},netdev=net,romfile=`],
    // Not needed for the build, but every machine has these devices, and Windows binds its drivers to devices it has
    // seen.
    ...["serial", "rng", "balloon"].flatMap((kind) => ["-device", virtio(kind)]),
  ];
}

/**
 * The device type that the machines made from the image have. libvirt puts virtio devices behind PCI Express ports,
 * where they are non-transitional. On the root bus they would be transitional, which have other device ids for Windows.
 */
function virtio(kind: string): string {
  return `virtio-${kind}-pci-non-transitional`;
}

/**
 * The host may delay writes. Flushed writes of the guest survive the end of QEMU, which is enough to resume a killed
 * build. They need not survive a crash of this host.
 */
function disk(path: string): string {
  return JSON.stringify({
    driver: "qcow2",
    "node-name": diskNode,
    discard: "unmap",
    "detect-zeroes": "unmap",
    cache: { "no-flush": true },
    file: { driver: "file", filename: path, discard: "unmap", cache: { "no-flush": true } },
  });
}

/** A block device as JSON, so that its path may contain commas. */
function file(node: string, path: string, more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ driver: "file", "node-name": node, filename: path, ...more });
}
