/** UEFI's firmware and the template of its variables, as files on this host. */
export interface UefiFirmware {
  readonly code: string;
  readonly variables: string;
}

/** The machine Windows is installed on; afterwards only its disk is left. */
export interface BuilderMachine {
  /** `tcg` emulates: good enough for tests, far too slow for Windows. */
  readonly accelerator: "kvm" | "tcg";
  readonly cpus: number;
  readonly memoryMiB: number;
  /** Undefined: BIOS. */
  readonly uefi: UefiFirmware | undefined;
  /** Private working directory of QEMU, to which names without a path refer. */
  readonly folder: string;
  readonly disk: string;
  /** Discs in the order of their drive letters: Windows' own, then the one with the answer file. */
  readonly discs: readonly string[];
}

/** The disk's size: the minimum for Windows, as an overlay can be larger but not smaller. */
export const imageDiskGiB = 32;

/** Names in the machine's private folder. */
export const serialFile = "com1.log";
/** Screen and keyboard, for a viewer of VNC. */
export const screenSocket = "vnc.sock";
export const uefiVariables = "uefi-variables.fd";

/** The disk's name for QEMU's monitor. */
export const diskNode = "disk";

/**
 * Hyper-V's enlightenments, as the machines made from the image have them (`domain-xslt.ts`), and one more: with
 * `crash` Windows reports a blue screen (GUEST_PANICKED), which otherwise looks like any restart.
 */
const enlightenments = [
  ...["hv_relaxed", "hv_vapic", "hv_spinlocks=0xfff", "hv_vpindex", "hv_runtime", "hv_time"],
  ...["hv_synic", "hv_stimer", "hv_frequencies", "hv_tlbflush", "hv_ipi", "hv_crash"],
];

/**
 * Arguments of QEMU for the machine an image is built on. It starts paused, with QMP on standard input.
 *
 * The disk comes first in the boot order, Windows' disc second: an empty disk fails and the disc starts without a key press,
 * and after Setup's first restart the disk starts. SeaBIOS 1.14 and later ignores virtio disks that are not in the boot
 * order, and Setup then cannot install on them.
 *
 * The network only allows this host to reach the SSH server: everything to install is on the discs.
 */
export function qemuArguments(machine: BuilderMachine): string[] {
  const { accelerator, cpus, memoryMiB, uefi } = machine;
  const kvm = accelerator === "kvm";
  const pflash = uefi && ",pflash0=uefi-code,pflash1=uefi-variables";
  return [
    ...["-name", "kindows-image-builder", "-nodefaults", "-no-user-config", "-S"],
    // A blue screen is kept for examination; otherwise QEMU would end.
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
    ...machine.discs.flatMap((disc, place) => [
      ...["-blockdev", file(`disc${place}`, disc, { "read-only": true })],
      ...["-device", `ide-cd,drive=disc${place},bus=ide.${place},bootindex=${place + 2}`],
    ]),
    ...["-netdev", "user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:0-:22"],
    ...["-device", `${virtio("net")},netdev=net,romfile=`],
    // Not needed here, but every machine has these, and Windows binds its drivers to what it sees.
    ...["serial", "rng", "balloon"].flatMap((kind) => ["-device", virtio(kind)]),
  ];
}

/**
 * As on the machines made from the image: behind PCI Express ports, where libvirt puts them, virtio devices are modern only.
 * On the root bus they are transitional, which is other hardware to Windows, with another id.
 */
function virtio(kind: string): string {
  return `virtio-${kind}-pci-non-transitional`;
}

/**
 * The host may delay writes: what the guest flushed outlives QEMU, which is enough to resume a killed build, and need not
 * outlive this host.
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

/** As JSON, so that a path may contain commas. */
function file(node: string, path: string, more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ driver: "file", "node-name": node, filename: path, ...more });
}
