import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import { parse } from "yaml";
import { metaData } from "../../../components/machine/identity.ts";
import { waitUntil } from "../../../host/wait-until.ts";
import { virsh } from "../../e2e/lab.ts";
import { diskContent } from "./disk-content.ts";
import { imagesFolder, outside } from "./names.ts";

/** The guest's writes reach its disk after a second (rehearsal/guest/boot), its removals with ext4's next commit. */
const writtenMilliseconds = 8000;

/** Wine keeps its registry in memory and writes it every thirty seconds. */
const registryMilliseconds = 45_000;

/** Longest boot of an emulated machine on a busy host, in seconds. */
const bootSeconds = 300;

export interface OutsideMachineArgs {
  readonly name: string;
  readonly address: string;
  readonly mac: string;
  readonly base: string;
  /** libvirt network that it is on. Default: that of the outside's machines. */
  readonly network?: string;
  /** `user-data` of its identity disc. */
  readonly userData: string;
}

/** A machine that the user has set up: a libvirt domain that kindows does not know. */
export class OutsideMachine {
  readonly domain: string;

  private constructor(
    readonly name: string,
    readonly address: string,
    readonly hostKey: string,
    private readonly disk: string,
  ) {
    this.domain = `${outside}-${name}`;
  }

  static async make(args: OutsideMachineArgs): Promise<OutsideMachine> {
    const { name, address, mac, base, userData, network = outside } = args;
    const folder = path.join(imagesFolder, name);
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, "user-data"), userData, { mode: 0o600 });
    await writeFile(path.join(folder, "meta-data"), metaData(`${outside}-${name}`, name));
    const iso = path.join(folder, "identity.iso");
    await execa("mkisofs", [
      ...["-quiet", "-output", iso, "-volid", "cidata", "-joliet", "-rock"],
      ...["user-data", "meta-data"].map((each) => path.join(folder, each)),
    ]);
    const disk = path.join(folder, "disk.qcow2");
    await execa("qemu-img", ["create", "-q", "-f", "qcow2", "-F", "raw", "-b", base, disk]);
    const { ssh_keys } = parse(userData) as { ssh_keys: { ed25519_public: string } };
    const machine = new OutsideMachine(name, address, ssh_keys.ed25519_public, disk);
    const definition = path.join(folder, "domain.xml");
    await writeFile(definition, domainXml(machine.domain, mac, network, disk, iso));
    await virsh("define", definition);
    return machine;
  }

  /** Starts the machine and waits for its SSH server. */
  async start(): Promise<void> {
    await virsh("start", this.domain);
    await this.said("SSH on port 22");
  }

  /** Starts the machine again and waits until everything that a later boot writes is on its disk. */
  async reboot(): Promise<void> {
    await sleep(writtenMilliseconds);
    await this.kill();
    await this.start();
    await this.said("Wine is up");
    await sleep(registryMilliseconds);
  }

  /** Waits for a line on its console since its start, because its SSH server may be unreachable. */
  private async said(text: string): Promise<void> {
    const what = `"${text}" on the console of ${this.name}`;
    await waitUntil({ what, timeoutSeconds: bootSeconds, pollMilliseconds: 1000 }, async () => {
      const all = await readFile(consoleOf(this.disk), "utf8");
      return all.includes(text) ? undefined : all.trim().split("\n").at(-1);
    });
  }

  isRunning(): Promise<boolean> {
    return virsh("domstate", this.domain).then((state) => state.trim() === "running");
  }

  async kill(): Promise<void> {
    await virsh("destroy", this.domain);
  }

  /** Saves and restores the machine in another QEMU, which the guest sees as the end of a live migration. */
  async move(): Promise<void> {
    const file = path.join(path.dirname(this.disk), "moved");
    await virsh("save", this.domain, file);
    await virsh("restore", file);
    await rm(file);
  }

  async content(): Promise<Record<string, string>> {
    await sleep(writtenMilliseconds);
    await this.kill();
    return diskContent(this.disk, imagesFolder);
  }
}

function consoleOf(disk: string): string {
  return path.join(path.dirname(disk), "console.log");
}

function domainXml(name: string, mac: string, network: string, disk: string, iso: string): string {
  return `<domain type='qemu'>
  <name>${name}</name>
  <memory unit='MiB'>3072</memory>
  <vcpu>1</vcpu>
  <os><type arch='x86_64' machine='q35'>hvm</type><boot dev='hd'/></os>
  <features><acpi/><apic/><pae/></features>
  <devices>
    <disk type='file' device='disk'>
      <driver name='qemu' type='qcow2'/><source file='${disk}'/><target dev='vda' bus='virtio'/>
    </disk>
    <controller type='scsi' index='0' model='virtio-scsi'/>
    <disk type='file' device='cdrom'>
      <driver name='qemu' type='raw'/><source file='${iso}'/><target dev='sda' bus='scsi'/><readonly/>
    </disk>
    <interface type='network'>
      <mac address='${mac}'/><source network='${network}'/><model type='virtio'/>
    </interface>
    <serial type='file'><source path='${consoleOf(disk)}'/></serial>
  </devices>
</domain>
`;
}
