import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { execa } from "execa";

import { waitUntil } from "../../host/wait-until.ts";
import { inContainer, succeeded, tail, TestLab, printSeconds, virsh } from "../e2e/lab.ts";
import { makeKeyFile, SshDaemon } from "./outside/ssh-daemon.ts";

/** A segment on "another host" that is this one: a bridge of its own, and a cable between it and the lab's. */
class SecondSegment {
  private readonly port: string;
  /** Docker closes FORWARD, and on many hosts that is for bridged packets too (br_netfilter). */
  private readonly rule: readonly string[];
  private watch: NodeJS.Timeout | undefined;

  constructor(
    readonly bridge: string,
    private readonly labBridge: string,
  ) {
    this.port = `${bridge}-l`;
    this.rule = ["FORWARD", "-i", bridge, "-o", bridge, "-j", "ACCEPT"];
  }

  /** Makes the bridge, and from now on plugs the cable in whenever the lab's bridge is there, as a hook of libvirt's does. */
  async make(): Promise<void> {
    await this.remove();
    await execa("ip", ["link", "add", this.bridge, "type", "bridge"]);
    await execa("ip", ["link", "set", this.bridge, "up"]);
    await execa("iptables", ["-I", ...this.rule]);
    this.watch = setInterval(() => void this.plug(), 500);
  }

  private async plug(): Promise<void> {
    const isThere = async (name: string): Promise<boolean> =>
      (await execa("ip", ["link", "show", name], { reject: false })).exitCode === 0;
    if (!(await isThere(this.labBridge)) || (await isThere(this.port))) return;
    const there = `${this.bridge}-r`;
    const quietly = { reject: false };
    await execa("ip", ["link", "add", this.port, "type", "veth", "peer", there], quietly);
    await execa("ip", ["link", "set", there, "master", this.bridge, "up"], quietly);
    await execa("ip", ["link", "set", this.port, "master", this.labBridge, "up"], quietly);
  }

  async remove(): Promise<void> {
    clearInterval(this.watch);
    await execa("iptables", ["-D", ...this.rule], { reject: false });
    for (const each of [this.port, this.bridge]) {
      await execa("ip", ["link", "delete", each], { reject: false });
    }
  }
}

const lab = new TestLab("e2efleet");
const { prefix: name, controlPlane } = lab;

/** The other hypervisor, and the pool of the lab there: another name than here, for both are one libvirt. */
const other = "rack-2";
const otherPool = `${name}.${other}`;
const port = 20022;
const segment = new SecondSegment("e2efleet2", "kw-e2efleet");

/** Longest that a run may take which only says that a host is down. */
const refusedSeconds = 90;

/** A lab on two hosts: this one, and this one over SSH; all that the second has it has under names of its own. */
describe("one lab on two hypervisors", function () {
  this.bail(true);

  let folder: string;
  let host: SshDaemon;

  const lines = async (...args: string[]): Promise<readonly string[]> =>
    (await virsh(...args))
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line.startsWith(name))
      .map((line) => line.split(/\s/)[0] ?? "")
      .sort();

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "kindows-fleet-"));
    const login = await makeKeyFile(path.join(folder, "login"));
    const address = "127.0.0.1";
    host = await SshDaemon.start({ folder: path.join(folder, "sshd"), address, port, login });
    await segment.make();
    await lab.configure({
      network: { cidr: "192.168.159.0/24" },
      hypervisor: { machineMemoryMiB: 8192 },
      hypervisors: [
        {
          name: other,
          uri: `qemu+ssh://root@${address}:${port}/system`,
          hostKey: host.hostKey.publicKey,
          privateKeyFile: login.file,
          bridge: segment.bridge,
          machineMemoryMiB: 8192,
        },
      ],
      nodes: [{ name: "win-1", hypervisor: "local" }, { name: "win-2" }],
    });
    await lab.kindows("down");
  });
  after(async () => {
    await host.startAgain();
    try {
      await lab.remove();
    } finally {
      await host.stop();
      await segment.remove();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("tells where each node will run and why", async () => {
    const { output } = await succeeded(lab.kindows("preview"), "preview");
    assert.match(output, /win-1 runs on local: kindows:nodes\[0\]\.hypervisor says so/);
    assert.match(output, /win-2 runs on rack-2: most memory is left there/);
  });

  it("makes the node here when the other host is lost in the middle, and names that host", async () => {
    const lost = lostAsSoonAs(async () => (await lines("pool-list")).includes(otherPool));
    const run = await lab.kindows("up");
    await lost;
    printSeconds("up that loses a host", run);
    assert.notEqual(run.exitCode, 0);
    assert.match(run.output, /the hypervisor rack-2 \(qemu\+ssh:.*\) does not answer/);
    assert.doesNotMatch(run.output, /PRIVATE KEY/);
    // An up that failed hands out no kubeconfig.
    const kubectl = ["kubectl", "--kubeconfig", "/etc/kubernetes/admin.conf"];
    const wait = ["wait", "--for=condition=Ready", "node/win-1", "--timeout=280s"];
    await inContainer(controlPlane, ...kubectl, ...wait);
    assert.doesNotMatch(await inContainer(controlPlane, ...kubectl, "get", "nodes"), /win-2/);
    const status = await lab.kindows("status");
    assert.equal(status.exitCode, 1, tail(status.output));
    assert.match(status.output, /the stack e2efleet is not up/);
  });

  it("leaves that host alone while it is down, and says so", async () => {
    const run = await lab.kindows("up");
    printSeconds("up without that host", run);
    assert.equal(run.exitCode, 1, tail(run.output));
    assert.match(run.output, /rack-2 .* does not answer: .*left as they are: win-2/);
    await lab.untilReady([controlPlane, "win-1"]);
  });

  it("finishes when the host is back", async () => {
    await host.startAgain();
    await succeeded(lab.kindows("up"), "up with the host back");
    await lab.untilReady([controlPlane, "win-1", "win-2"]);
    assert.deepEqual(await lines("pool-list"), [name, otherPool]);
    assert.deepEqual(await lines("list", "--name"), [`${name}-win-1`, `${name}-win-2`]);
    const there = await lines("vol-list", otherPool);
    assert.ok(there.includes(`${name}-win-2.qcow2`), there.join());
    assert.ok(!there.includes(`${name}-win-1.qcow2`), there.join());
    const plugged = await virsh("domiflist", `${name}-win-2`);
    assert.match(plugged, new RegExp(`bridge +${segment.bridge} `));
    printSeconds("preview", await lab.plansNothing());
    await succeeded(lab.kindows("doctor"), "doctor");
  });

  it("leaves what runs alone when the host is down again", async () => {
    await host.stop();
    const run = await lab.kindows("up");
    printSeconds("up with the node made and the host down", run);
    assert.equal(run.exitCode, 1, tail(run.output));
    assert.match(run.output, /left as they are: win-2/);
    await lab.untilReady([controlPlane, "win-1", "win-2"]);
  });

  it("removes nothing while a host is down, and says why", async () => {
    const run = await lab.kindows("down");
    printSeconds("down refused", run);
    assert.equal(run.exitCode, 1, tail(run.output));
    assert.match(run.output, /nothing was\. Run again when it is back/);
    assert.ok(run.seconds < refusedSeconds, `it took ${run.seconds} s`);
    await lab.untilReady([controlPlane, "win-1", "win-2"]);
  });

  it("goes from both when the host is back", async () => {
    await host.startAgain();
    await succeeded(lab.kindows("down"), "down");
    assert.deepEqual(await lines("list", "--all", "--name"), []);
    assert.deepEqual(await lines("pool-list", "--all"), []);
    assert.deepEqual(await lines("net-list", "--all"), []);
    await succeeded(lab.kindows("doctor"));
  });

  /** Ends the other host's SSH server, with all who are logged in, when something is so. */
  async function lostAsSoonAs(isSo: () => Promise<boolean>): Promise<void> {
    const what = "the moment to lose the host";
    await waitUntil({ what, timeoutSeconds: 600, pollMilliseconds: 200 }, async () =>
      (await isSo()) ? undefined : "not yet",
    );
    await host.stop();
  }
});
