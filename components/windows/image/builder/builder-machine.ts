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
}

/** Files of the machine. */
export interface BuilderFiles {
  /** Private working directory of QEMU, to which names without a path refer. */
  readonly folder: string;
  /** The disk Windows is installed on, qcow2. */
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
/** UEFI variables of this machine. */
export const uefiVariables = "uefi-variables.fd";

/** The disk's name for QEMU's monitor. */
export const diskNode = "disk";
