/** A file on this host that holds UEFI's program, and the one its settings start from. */
export interface UefiFirmware {
  readonly code: string;
  readonly variables: string;
}

/** The machine Windows is installed on; afterwards only its disk is left. */
export interface BuilderMachine {
  /** `tcg` emulates: right for the stand-in of tests, far too slow for Windows. */
  readonly accelerator: "kvm" | "tcg";
  readonly cpus: number;
  readonly memoryMiB: number;
  /** Undefined: BIOS. */
  readonly uefi: UefiFirmware | undefined;
}

/** Files the machine is made of. */
export interface BuilderFiles {
  /** Working directory of QEMU, private: names without a path are in it. */
  readonly folder: string;
  /** The disk Windows is installed on, qcow2. */
  readonly disk: string;
  /** Discs in the order Windows gives them letters: its own, then the one that answers. */
  readonly discs: readonly string[];
}

/** The disk's size: the least a machine with Windows may have, as its overlay can be larger but not smaller. */
export const imageDiskGiB = 32;

/** Names in the machine's private folder. */
export const serialFile = "com1.log";
/** Screen and keyboard, for a viewer of VNC. */
export const screenSocket = "vnc.sock";
/** UEFI's settings, this machine's own. */
export const uefiVariables = "uefi-variables.fd";

/** The disk's name for QEMU's monitor. */
export const diskNode = "disk";
