import { cp, mkdir, rm, rmdir } from "node:fs/promises";
import { existsSync } from "node:fs";
import path from "node:path";
import { execa } from "execa";

import { fabricsFolder } from "../../../components/network/fabric/host-script.ts";
import { ensureHostPackages } from "../../../toolchain/host-packages.ts";
import type { LabSettings } from "../../e2e/lab.ts";
import { switchPackages, switchText } from "./host-namespaces.ts";
import { addNamespace, ip, removeNamespaces } from "./network-namespace.ts";
import { type KeyFile, makeKeyFile, SshDaemon } from "./ssh-daemon.ts";

const [network, mtu] = ["10.199.78", 1600];
/** Addresses of this host and of the other one in the network between them. */
const [here, there] = [`${network}.1`, `${network}.2`];

/**
 * Another host with a hypervisor: a network namespace with its own libvirt and SSH server, connected to this host.
 * The two share only the kernel, because libvirt and kindows write to folders that only the namespace has mounted.
 */
export class SecondHypervisor {
  readonly name = "rack-2";
  /** Name of the namespace, and of this host's end of the connection. */
  private readonly cable = `kwh-${this.name}`;
  /** The same in each run, unlike TMPDIR, so that what a killed run has left is found. */
  private readonly folder = "/var/tmp/kindows-second";
  private login: KeyFile | undefined;
  private daemon: SshDaemon | undefined;

  async start(hasSwitch: boolean): Promise<void> {
    await this.remove();
    for (const each of ["etc", "lib/images", "kindows"]) {
      await mkdir(path.join(this.folder, each), { recursive: true });
    }
    await mkdir(fabricsFolder, { recursive: true });
    // This host's libvirt settings, without its networks and machines.
    for (const file of ["libvirtd.conf", "virtlogd.conf", "qemu.conf"]) {
      await cp(path.join("/etc/libvirt", file), path.join(this.folder, "etc", file));
    }
    const [namespace, end] = [this.cable, this.cable];
    await addNamespace({ namespace, end, address: `${there}/24`, mtu });
    await ip("address", "add", `${here}/24`, "dev", end);
    if (hasSwitch) await this.startSwitches();
    this.login = await makeKeyFile(path.join(this.folder, "login"));
    this.daemon = await SshDaemon.start({
      folder: path.join(this.folder, "sshd"),
      address: there,
      port: 22,
      login: this.login,
      namespace: this.cable,
      environment: this.runFolders("there"),
      prepare: `mount --bind ${this.folder}/etc /etc/libvirt
mount --bind ${this.folder}/lib /var/lib/libvirt
mount --bind ${this.folder}/kindows ${fabricsFolder}
mount -t tmpfs none /run/libvirt
if [ -d /run/systemd ]; then mount -t tmpfs none /run/systemd; fi
virtlogd --daemon --pid-file ${this.folder}/virtlogd.pid
libvirtd --daemon --pid-file ${this.folder}/libvirtd.pid`,
    });
  }

  private async startSwitches(): Promise<void> {
    await ensureHostPackages(switchPackages, console.log);
    for (const host of ["here", "there"] as const) {
      const [isCentral, address] = [host === "here", host === "here" ? here : there];
      const port = isCentral ? this.cable : "eth0";
      const text = switchText({ host, address: `${address}/24`, port, mtu, isCentral });
      const [program = "", ...args] = isCentral
        ? ["sh", "-es"]
        : ["ip", "netns", "exec", this.cable, "sh", "-es"];
      await mkdir(path.join(this.folder, host));
      await execa(program, args, { input: text, env: this.runFolders(host) });
    }
    this.useSwitchHere();
  }

  /** Makes programs on this host find the Open vSwitch, if there is one. */
  useSwitchHere(): void {
    const folders = this.runFolders("here");
    if (existsSync(folders.OVS_RUNDIR)) Object.assign(process.env, folders);
  }

  private runFolders(host: "here" | "there") {
    const run = path.join(this.folder, host);
    return { OVS_RUNDIR: run, OVN_RUNDIR: path.join(run, "ovn") };
  }

  /** @param own address range of its machines, if it has its own. */
  settings(own: { readonly cidr?: string } = {}): LabSettings {
    return {
      hypervisor: { fabricAddress: here },
      hypervisors: [
        {
          name: this.name,
          uri: `qemu+ssh://root@${there}/system`,
          hostKey: this.daemon?.hostKey.publicKey,
          privateKeyFile: this.login?.file,
          ...own,
        },
      ],
    };
  }

  async run(shell: string): Promise<string> {
    const login = [
      ...["-i", this.login?.file ?? "", "-o", "StrictHostKeyChecking=no"],
      ...["-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR", `root@${there}`],
    ];
    return (await execa("ssh", [...login, shell])).stdout;
  }

  async remove(): Promise<void> {
    await removeNamespaces(this.cable);
    // This host's switch leaves the interface of its datapath.
    const shell = `cd ${this.folder}/here || exit 0
ovs-vsctl --timeout=5 del-br br-phy
for pid in $(cat *.pid ovn/*.pid); do
  case $(cat /proc/$pid/comm) in ov*) kill $pid ;; esac
done
ip link delete ovs-netdev`;
    await execa("sh", ["-c", shell], { reject: false, env: this.runFolders("here") });
    await execa("ip", ["link", "delete", this.cable], { reject: false });
    for (const name of ["OVS_RUNDIR", "OVN_RUNDIR"]) Reflect.deleteProperty(process.env, name);
    await rm(this.folder, { recursive: true, force: true });
    await rmdir(fabricsFolder).catch(() => undefined);
  }
}
