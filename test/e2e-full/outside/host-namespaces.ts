import { mkdir, rm, rmdir } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { execa, type ResultPromise } from "execa";

import { type FabricEnd } from "../../../components/network/fabric/fabric.ts";
import {
  fabricScript,
  fabricsFolder,
  fabricUnit,
  installText,
  removeText,
} from "../../../components/network/fabric/host-script.ts";
import { type FabricName, fabrics } from "../../../components/network/fabric/fabrics.ts";
import { ensureHostPackages } from "../../../toolchain/host-packages.ts";
import { addressPlan, segmentOf } from "../../../config/address-plan.ts";
import { resolveSettings } from "../../../config/resolve.ts";
import { type Settings } from "../../../config/settings.ts";
import { addNamespace, ip, removeNamespaces } from "./network-namespace.ts";
import { fabricEnds, isRouted } from "../../../components/network/fabric/fabric-ends.ts";
import { machineNodes } from "../../../config/sections/nodes.ts";

/** Packages for simulated hosts with Open vSwitch. */
export const switchPackages = ["openvswitch-switch", "ovn-host", "ovn-central", "ethtool"];

/** Answers a single byte at once; otherwise sends the number of received bytes at the end. */
const server = `require("net").createServer({ allowHalfOpen: true }, (socket) => {
  let bytes = 0;
  socket.setNoDelay(true);
  socket.on("data", (data) => { bytes += data.length; if (data.length === 1) socket.write("1"); });
  socket.on("end", () => socket.end(bytes > 1 ? String(bytes) : ""));
  socket.on("error", () => {});
}).listen(5000);`;

/** Sends a number of bytes, waits for the answer, and prints the seconds. */
const sending = `const [host, bytes] = process.argv.slice(1);
let got = "", start;
const socket = require("net").connect(5000, host, () => {
  start = performance.now();
  socket.end(Buffer.alloc(+bytes));
});
socket.on("data", (data) => (got += data)).on("end", () => {
  console.log((performance.now() - start) / 1000);
  process.exit(got === bytes ? 0 : 1);
});
socket.on("error", () => process.exit(1)).setTimeout(4000, () => process.exit(1));`;

const asking = `const [host, rounds] = process.argv.slice(1);
const socket = require("net").connect(5000, host);
const times = [];
let start;
const ask = () => { start = process.hrtime.bigint(); socket.write("1"); };
socket.setNoDelay(true).on("connect", ask).on("data", () => {
  times.push(Number(process.hrtime.bigint() - start) / 1e9);
  if (times.length < +rounds) return ask();
  console.log(times.sort((a, b) => a - b)[times.length >> 1]);
  process.exit();
});`;

interface SwitchHost {
  readonly host: string;
  readonly address: string;
  readonly port: string;
  readonly mtu: number;
  readonly isCentral: boolean;
}

/** Starts Open vSwitch and OVN as their packages do; the first switch has the host's interface. */
export function switchText({ host, address, port, mtu, isCentral }: SwitchHost): string {
  const daemon = "--detach --no-chdir --log-file=/dev/null";
  const server = (name: string, schema: string, remotes: string): string =>
    `ovsdb-tool create $OVN_RUNDIR/${name}.db /usr/share/${schema}.ovsschema
ovsdb-server $OVN_RUNDIR/${name}.db ${daemon} --pidfile=$OVN_RUNDIR/${name}.pid --unixctl=$OVN_RUNDIR/${name}.ctl ${remotes}`;
  const central = [
    server("ovnnb_db", "ovn/ovn-nb", "--remote=punix:$OVN_RUNDIR/ovnnb_db.sock"),
    server(
      "ovnsb_db",
      "ovn/ovn-sb",
      "--remote=punix:$OVN_RUNDIR/ovnsb_db.sock --remote=db:OVN_Southbound,SB_Global,connections",
    ),
    `ovn-northd ${daemon} --pidfile`,
  ];
  return [
    "mkdir -p $OVN_RUNDIR",
    server("db", "openvswitch/vswitch", "--remote=punix:$OVS_RUNDIR/db.sock"),
    "ovs-vsctl --no-wait init",
    `ovs-vsctl --no-wait set open_vswitch . external-ids:system-id=${host}`,
    // Userspace datapath, because this kernel may lack the module.
    "ovs-vsctl --no-wait set open_vswitch . external-ids:ovn-bridge-datapath-type=netdev",
    `ovs-vswitchd ${daemon} --pidfile`,
    `ovs-vsctl add-br br-phy -- set bridge br-phy datapath_type=netdev -- add-port br-phy ${port}`,
    `ip address flush dev ${port}; ip address add ${address} dev br-phy`,
    `ip link set br-phy mtu ${mtu} up`,
    ...(isCentral ? central : []),
    `ovn-controller ${daemon} --pidfile`,
  ].join("\n");
}

/** A lab's hosts as network namespaces on one network, each with a machine: a namespace on the host's bridge. */
export class HostNamespaces {
  readonly settings: Settings;
  private readonly folder: string;
  private readonly servers: ResultPromise[] = [];

  constructor(
    private readonly lab: string,
    readonly fabric: FabricName,
    readonly hosts: readonly string[],
    private readonly mtu = 1500,
  ) {
    this.settings = this.settingsWith(hosts);
    this.folder = path.join(os.tmpdir(), `kindows-fabric-${lab}`);
  }

  /** The lab's settings with nodes on these hosts only. */
  settingsWith(hosts: readonly string[]): Settings {
    return resolveSettings(
      {
        lab: { name: this.lab },
        network: { cidr: "192.168.77.0/24", fabric: this.fabric, bridge: `kw-${this.lab}` },
        hypervisor: { fabricAddress: this.address("local") },
        hypervisors: this.hosts
          .filter((host) => host !== "local")
          .map((name) => ({
            name,
            uri: `qemu+ssh://root@${this.address(name)}/system`,
            hostKey: `ssh-ed25519 ${hostKey}`,
            privateKeyFile: "/k",
            bridge: `kw-${this.lab}`,
            ...(this.fabric === "routed" && { cidr: `192.168.7${this.hosts.indexOf(name)}.0/24` }),
          })),
        nodes: hosts.map((hypervisor) => ({ name: `win-${hypervisor}`, hypervisor })),
      },
      { stack: this.lab, file: "Pulumi.test.yaml" },
    );
  }

  private address(host: string): string {
    return `10.199.77.${this.hosts.indexOf(host) + 1}`;
  }

  private machineAddress(host: string): string {
    const node = machineNodes(this.settings).find(({ hypervisor }) => hypervisor === host);
    return node?.address ?? "";
  }

  private gateway(host: string): string {
    return addressPlan(segmentOf(this.settings, host)).gateway;
  }

  private isLibvirts(host: string): boolean {
    return host === "local" || isRouted(this.settings);
  }

  namespace(host: string): string {
    return `${this.lab}-${host}`;
  }

  private machine(host: string): string {
    return `${this.lab}-m-${host}`;
  }

  private get network(): string {
    return `${this.lab}-net`;
  }

  async make(): Promise<void> {
    if (this.fabric === "ovn") await ensureHostPackages(switchPackages, console.log);
    await this.remove();
    await mkdir(fabricsFolder, { recursive: true });
    await ip("netns", "add", this.network);
    await ip("-n", this.network, "link", "add", "br0", "type", "bridge");
    await ip("-n", this.network, "link", "set", "br0", "up");
    for (const host of this.hosts) {
      await mkdir(path.join(this.folder, host), { recursive: true });
      const [namespace, machine] = [this.namespace(host), this.machine(host)];
      await addNamespace({
        namespace,
        address: `${this.address(host)}/24`,
        end: namespace,
        outside: this.network,
        bridge: "br0",
        mtu: this.mtu,
      });
      if (this.fabric === "ovn") await this.startSwitch(host);
      const address = `${this.machineAddress(host)}/24`;
      await addNamespace({ namespace: machine, address, end: machine, outside: namespace });
      await ip("-n", machine, "route", "add", "default", "via", this.gateway(host));
      const args = ["netns", "exec", machine, process.execPath, "-e", server];
      this.servers.push(execa("ip", args, { reject: false }));
    }
    for (const host of this.hosts.filter((one) => this.isLibvirts(one)))
      await this.makeBridge(host);
  }

  private async startSwitch(host: string): Promise<void> {
    const address = `${this.address(host)}/24`;
    const isCentral = host === "local";
    await this.run(host, switchText({ host, address, isCentral, port: "eth0", mtu: this.mtu }));
  }

  /** Creates the bridge like libvirt's network. If that routes, other forwarding is blocked, as by Docker. */
  private async makeBridge(host: string): Promise<void> {
    const [name, { bridge }] = [this.namespace(host), this.settings.network];
    await ip("-n", name, "link", "add", bridge, "type", "bridge");
    await ip("-n", name, "link", "set", bridge, "up");
    await ip("-n", name, "address", "add", `${this.gateway(host)}/24`, "dev", bridge);
    if (isRouted(this.settings)) {
      await this.run(host, "sysctl -qw net.ipv4.ip_forward=1; iptables -P FORWARD DROP");
    }
    await this.plugMachine(host);
  }

  /** Connects the machine to the bridge, like libvirt at its start. */
  private async plugMachine(host: string): Promise<void> {
    const [name, { bridge }] = [this.namespace(host), this.settings.network];
    await ip("-n", name, "link", "set", this.machine(host), "master", bridge, "up");
  }

  async run(host: string, shell: string): Promise<string> {
    const alone = `mount --bind ${path.join(this.folder, host)} ${fabricsFolder}
if [ -d /run/systemd ]; then mount -t tmpfs none /run/systemd; fi\n`;
    const run = path.join(this.folder, host);
    const input = `set -e\nexport OVS_RUNDIR=${run} OVN_RUNDIR=${run}/ovn\n${alone}${shell}`;
    const { stdout } = await execa("ip", ["netns", "exec", this.namespace(host), "sh", "-s"], {
      input,
    });
    return stdout;
  }

  private endOf(host: string, all: readonly string[]): FabricEnd {
    const end = fabricEnds(this.settingsWith(all)).find((one) => one.host.name === host);
    if (end === undefined) throw new Error(`${host} is not in the fabric`);
    return end;
  }

  private parameter(host: string, all: readonly string[]) {
    const { onHost } = fabrics[this.fabric];
    if (onHost === undefined) throw new Error(`${this.fabric} is not made by kindows`);
    const end = this.endOf(host, all);
    return {
      lab: end.lab,
      mark: end.mark,
      script: fabricScript(onHost, end),
      unit: fabricUnit(onHost, end),
    };
  }

  /** Makes exactly these hosts the fabric's members. */
  async connect(all: readonly string[]): Promise<void> {
    for (const host of all) {
      const shell =
        this.fabric === "bridge" ? this.bridged() : installText(this.parameter(host, all));
      await this.run(host, shell);
      await this.plugMachine(host);
    }
  }

  /** Shell lines that a user may run on each host, which put a port on the hosts' network into the bridge. */
  private bridged(): string {
    const { bridge } = this.settings.network;
    return `ip link add ${bridge} type bridge 2>/dev/null || :
ip link set ${bridge} up
ip link set eth0 master ${bridge}`;
  }

  async probe(host: string): Promise<string> {
    const probe = fabrics[this.fabric].onHost?.probe;
    return this.run(host, probe?.(this.endOf(host, this.hosts)) ?? "");
  }

  async disconnect(host: string): Promise<void> {
    await this.run(host, removeText(this.parameter(host, this.hosts)));
  }

  /** Deletes all configuration, like a reboot, then runs what systemd's unit runs. */
  async reboot(host: string): Promise<void> {
    const links = JSON.parse(await this.run(host, "ip -j link show")) as { ifname: string }[];
    const kept = ["lo", "eth0", "br-phy", "br-int", "ovs-netdev", this.machine(host)];
    for (const { ifname } of links) {
      // Deleting one end of a pair deletes the other too.
      if (!kept.includes(ifname) && !ifname.startsWith("kwi-"))
        await this.run(host, `ip link delete dev ${ifname} || :`);
    }
    await this.run(
      host,
      "for table in raw nat filter; do iptables -t $table -F; done; ip rule delete pref 32000 || :",
    );
  }

  /** Runs what systemd's unit runs after a reboot. */
  async start(host: string): Promise<void> {
    if (this.isLibvirts(host)) await this.makeBridge(host);
    const { unit } = this.parameter(host, this.hosts);
    await this.run(host, /^ExecStart=(.*)$/m.exec(unit)?.[1] ?? "false");
    await this.plugMachine(host);
  }

  /** Starts or stops dropping all packets between two hosts; only one pair at a time. */
  async part(one: string, other: string, isApart: boolean): Promise<void> {
    for (const host of [one, other]) {
      const port = ["link", "set", "dev", this.namespace(host)];
      await execa("bridge", ["-n", this.network, ...port, "isolated", isApart ? "on" : "off"]);
    }
  }

  /** Whether large packets pass between the machines on two hosts. */
  async isConnected(one: string, other: string): Promise<boolean> {
    return (await this.fromMachine(one, other, sending, 200_000)).exitCode === 0;
  }

  /** Seconds to send a number of bytes from one machine to the other. */
  async transfer(one: string, other: string, bytes: number): Promise<number> {
    return Number((await this.fromMachine(one, other, sending, bytes)).stdout || NaN);
  }

  async roundTrip(one: string, other: string, rounds: number): Promise<number> {
    return Number((await this.fromMachine(one, other, asking, rounds)).stdout || NaN);
  }

  private fromMachine(one: string, other: string, program: string, count: number) {
    const client = [process.execPath, "-e", program, this.machineAddress(other), String(count)];
    return execa("ip", ["netns", "exec", this.machine(one), ...client], { reject: false });
  }

  async configuration(host: string): Promise<string> {
    return this.run(
      host,
      `ip -br link | sed 's/[@ ].*//' | sort; ip route; ip rule; iptables-save | grep ^-A || :; ls ${fabricsFolder}
if [ -e $OVS_RUNDIR/db.sock ]; then
  ovs-vsctl list-br
  ovs-vsctl get open_vswitch . external-ids
fi
if [ -e $OVN_RUNDIR/ovnnb_db.sock ]; then
  ovn-nbctl ls-list
  ovn-sbctl --columns=name list chassis
  ovn-sbctl get-connection
fi`,
    );
  }

  async remove(): Promise<void> {
    for (const running of this.servers) running.kill();
    await Promise.all(this.servers);
    await removeNamespaces(`${this.lab}-`);
    await rm(this.folder, { recursive: true, force: true });
    await rmdir(fabricsFolder).catch(() => undefined);
  }
}

const hostKey = "AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB";
