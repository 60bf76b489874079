import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { diskNode, serialFile } from "../../components/windows/image/builder/qemu-command.ts";
import { QemuProcess } from "../../components/windows/image/builder/qemu-process.ts";
import { waitUntil } from "../../host/wait-until.ts";

/** Files of the machine. */
export interface BakingFiles {
  /** Working directory of QEMU, private. */
  readonly folder: string;
  /** The disk that is baked, qcow2. */
  readonly disk: string;
  /** The identity disc. */
  readonly disc: string;
  /** File to which QEMU's errors are appended. */
  readonly logFile: string;
  /** The same programs run either way. */
  readonly accelerator: "kvm" | "tcg";
}

/** As on the machines of a rehearsal. */
const memoryMiB = 3072;

/** Time limit for the shutdown request, some seconds, and files being written. */
const offSeconds = 60;

/** The machine on which the rehearsal's image is baked, in a plain QEMU without libvirt. */
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
   * @returns the port on this host's loopback that will lead to its SSH server.
   */
  async start(): Promise<number> {
    await this.#qemu.qmp.open();
    await this.#qemu.qmp.execute("cont");
    return this.#qemu.sshPort();
  }

  /** From now on a reboot ends the machine, as the guest can only reboot. */
  async endWithNextReboot(): Promise<void> {
    await this.#qemu.qmp.execute("set-action", { reboot: "shutdown" });
  }

  /** @throws if it is not switched off in time. */
  async off(): Promise<void> {
    const what = "the machine to be switched off";
    await waitUntil({ what, timeoutSeconds: offSeconds, pollMilliseconds: 200 }, () =>
      Promise.resolve(this.#qemu.ending === undefined ? "it runs" : undefined),
    );
  }

  /** Switches it off, if it is on, and adds the output of its serial port to the log. */
  async end(): Promise<void> {
    await this.#qemu.end();
    const { folder, logFile } = this.#files;
    await appendFile(logFile, await readFile(join(folder, serialFile), "utf8").catch(() => ""));
  }
}

/** The network only leads to the SSH server. */
function qemuArguments({ folder, disk, disc, accelerator }: BakingFiles): string[] {
  const device = (driver: string, node: string, filename: string, more: object): string =>
    JSON.stringify({ driver, "node-name": node, file: { driver: "file", filename }, ...more });
  return [
    ...["-name", "kindows-rehearsal-bake", "-nodefaults", "-no-user-config", "-S"],
    ...["-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"],
    ...["-machine", `q35,accel=${accelerator}`, "-smp", "1", "-m", `${memoryMiB}M`],
    // Not "max" if emulated: QEMU 7.2 then faults on the IRETQ with which Wine starts its threads (SMAP).
    ...["-cpu", accelerator === "kvm" ? "host" : "qemu64"],
    ...["-chardev", "stdio,id=qmp,signal=off", "-mon", "chardev=qmp,mode=control"],
    ...["-chardev", `file,id=com1,path=${join(folder, serialFile)}`, "-serial", "chardev:com1"],
    ...["-display", "none"],
    // The disk of an interrupted bake is not needed.
    ...["-blockdev", device("qcow2", diskNode, disk, { cache: { "no-flush": true } })],
    ...["-device", `virtio-blk-pci,drive=${diskNode},bootindex=1`],
    ...["-blockdev", device("raw", "identity", disc, { "read-only": true })],
    ...["-device", "virtio-blk-pci,drive=identity"],
    ...["-netdev", "user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:0-:22"],
    ...["-device", "virtio-net-pci,netdev=net,romfile=", "-device", "virtio-rng-pci"],
  ];
}
