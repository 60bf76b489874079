import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { diskNode, serialFile } from "../../components/windows/image/builder/builder-machine.ts";
import { QemuProcess } from "../../components/windows/image/builder/qemu-process.ts";
import { waitUntil } from "../../host/wait-until.ts";

/** What the machine is made of. */
export interface BakingFiles {
  /** Working directory of QEMU, private. */
  readonly folder: string;
  /** The disk that is baked, qcow2. */
  readonly disk: string;
  /** The identity disc. */
  readonly disc: string;
  /** What QEMU complains about is appended here. */
  readonly logFile: string;
  /** The same programs run either way. */
  readonly accelerator: "kvm" | "tcg";
}

/** As the machines of a rehearsal have. */
const memoryMiB = 3072;

/** The order to shut down, some seconds, and files being written. */
const offSeconds = 60;

/** The machine that the rehearsal's image is baked on, in a plain QEMU: libvirt never hears of it. */
export class BakingMachine {
  readonly #files: BakingFiles;
  readonly #qemu: QemuProcess;

  constructor(files: BakingFiles) {
    const { folder, logFile } = files;
    this.#files = files;
    this.#qemu = new QemuProcess({ args: qemuArguments(files), folder, logFile });
  }

  /**
   * Switches it on.
   *
   * @returns the port on this host's loopback behind which its SSH server will be.
   */
  async start(): Promise<number> {
    await this.#qemu.qmp.open();
    await this.#qemu.qmp.execute("cont");
    return this.#qemu.sshPort();
  }

  /** From now on the end of its system is the end of the machine: the guest knows how to reboot, and no more. */
  async endWithNextReboot(): Promise<void> {
    await this.#qemu.qmp.execute("set-action", { reboot: "shutdown" });
  }

  /** @throws when it is not switched off in time. */
  async off(): Promise<void> {
    const what = "the machine to be switched off";
    await waitUntil({ what, timeoutSeconds: offSeconds, pollMilliseconds: 200 }, () =>
      Promise.resolve(this.#qemu.ending === undefined ? "it runs" : undefined),
    );
  }

  /** Switches it off, if it is on; what it said on its serial port goes to the log. */
  async end(): Promise<void> {
    await this.#qemu.end();
    const { folder, logFile } = this.#files;
    await appendFile(logFile, await readFile(join(folder, serialFile), "utf8").catch(() => ""));
  }
}

/** The network leads nowhere but to the SSH server. */
function qemuArguments({ folder, disk, disc, accelerator }: BakingFiles): string[] {
  const device = (driver: string, node: string, filename: string, more: object): string =>
    JSON.stringify({ driver, "node-name": node, file: { driver: "file", filename }, ...more });
  return [
    ...["-name", "kindows-rehearsal-bake", "-nodefaults", "-no-user-config", "-S"],
    ...["-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"],
    ...["-machine", `q35,accel=${accelerator}`, "-smp", "1", "-m", `${memoryMiB}M`],
    // Not "max" where it is emulated: QEMU 7.2 then faults on the IRETQ by which Wine starts its threads (SMAP).
    ...["-cpu", accelerator === "kvm" ? "host" : "qemu64"],
    ...["-chardev", "stdio,id=qmp,signal=off", "-mon", "chardev=qmp,mode=control"],
    ...["-chardev", `file,id=com1,path=${join(folder, serialFile)}`, "-serial", "chardev:com1"],
    ...["-display", "none"],
    // Nobody needs the disk of a bake that was cut off.
    ...["-blockdev", device("qcow2", diskNode, disk, { cache: { "no-flush": true } })],
    ...["-device", `virtio-blk-pci,drive=${diskNode},bootindex=1`],
    ...["-blockdev", device("raw", "identity", disc, { "read-only": true })],
    ...["-device", "virtio-blk-pci,drive=identity"],
    ...["-netdev", "user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:0-:22"],
    ...["-device", "virtio-net-pci,netdev=net,romfile=", "-device", "virtio-rng-pci"],
  ];
}
