import assert from "node:assert/strict";

import type { FlannelBackend } from "../../components/cni/flannel/flannel-config.ts";
import { engineChanges } from "../e2e/lab.ts";
import { inContainer, succeeded, TestLab } from "../e2e/lab.ts";
import { verifiesLinuxPaths } from "../e2e/verified.ts";
import { builtFlannelArchive } from "./flannel/images.ts";

/** A rule without a target: the kernel counts what it fits, and does nothing to it. */
const rule = ["-p", "udp", "--dport", "4789"];

async function vxlanPackets(
  containers: readonly string[],
  meanwhile: () => Promise<void>,
): Promise<readonly number[]> {
  const iptables = (container: string, ...args: readonly string[]): Promise<string> =>
    inContainer(container, "iptables", "-w", "5", ...args);
  for (const container of containers) await iptables(container, "-I", "OUTPUT", ...rule);
  await meanwhile();
  const counts: number[] = [];
  for (const container of containers) {
    const listed = await iptables(container, "-nvxL", "OUTPUT", "1");
    counts.push(Number(/^\s*(\d+)/.exec(listed)?.[1] ?? Number.NaN));
    await iptables(container, "-D", "OUTPUT", ...rule);
  }
  return counts;
}

/** Flannel's images are built here, and are its own, but for the plugin, which is of an earlier version. */
describe("a rehearsal lab with Flannel", function () {
  this.bail(true);

  const lab = new TestLab("e2eflannel");
  const { controlPlane } = lab;
  const worker = `${lab.prefix}-worker-1`;
  const linux = [controlPlane, worker];
  let archive = "";

  function configure(backend: FlannelBackend, ...nodes: readonly string[]): Promise<void> {
    return lab.configure({
      network: { cidr: "192.168.188.0/24" },
      cluster: { workers: [{ name: "worker-1" }], imageArchives: [archive] },
      cni: { kind: "flannel", flannel: { backend } },
      nodes: nodes.map((name) => ({ name })),
    });
  }

  async function changes(): Promise<ReturnType<typeof engineChanges>> {
    return engineChanges((await succeeded(lab.kindows("up"), "up")).output);
  }

  async function planNothing(): Promise<void> {
    await lab.plansNothing();
    await lab.refreshesNothing();
    await lab.plansNothing();
  }

  /** How a Linux node reaches the pods of the other one, by its own table of routes. */
  async function routeToOther(): Promise<{ readonly device: string; readonly gateway: string }> {
    const range = await lab.kubectl("get", "node", worker, "-o", "jsonpath={.spec.podCIDR}");
    const routes = await inContainer(controlPlane, "ip", "-j", "route", "show", range);
    const [route] = JSON.parse(routes) as { dev: string; gateway: string }[];
    assert.ok(route, `${controlPlane} has no route to ${range}`);
    return { device: route.dev, gateway: route.gateway };
  }

  async function addressOf(node: string): Promise<string> {
    const ip = '{.status.addresses[?(@.type=="InternalIP")].address}';
    return lab.kubectl("get", "node", node, "-o", `jsonpath=${ip}`);
  }

  before(async () => {
    archive = await builtFlannelArchive();
    await configure("vxlan", "win-1");
    await lab.kindows("down");
  });
  after(() => lab.remove());

  it("comes up with VXLAN, all nodes Ready", async () => {
    await changes();
    assert.deepEqual(await lab.readyNodes(), [...linux, "win-1"]);
    assert.equal((await routeToOther()).device, "flannel.4096");
  });

  it("plans nothing with VXLAN, also after a refresh", planNothing);

  it("verifies every path between its Linux nodes, whose packets travel in VXLAN", async () => {
    const packets = await vxlanPackets(linux, () => verifiesLinuxPaths(lab, 1));
    console.log(`      ${packets.join(" and ")} packets of VXLAN were sent`);
    assert.ok(
      packets.every((each) => each > 0),
      `sent: ${packets.join(", ")}`,
    );
  });

  it("takes in a second Windows node and lets it go, and touches nothing else", async () => {
    for (const [nodes, operation] of [
      [["win-1", "win-2"], "created"],
      [["win-1"], "deleted"],
    ] as const) {
      await configure("vxlan", ...nodes);
      // It waits for the nodes that there are.
      const done = (await changes()).filter(({ name }) => name !== "kube-proxy-windows-on-nodes");
      assert.ok(done.length > 0);
      for (const change of done) {
        assert.equal(change.operation, operation, `${change.type} ${change.name}`);
        assert.match(change.name, /win-2/, change.type);
      }
      assert.deepEqual(await lab.readyNodes(), [...linux, ...nodes]);
    }
  });

  it("goes over to plain routes in place: Flannel's configuration and its pods", async () => {
    await configure("host-gw", "win-1");
    const done = await changes();
    assert.deepEqual(done.map(({ operation, type }) => `${operation} ${type}`).sort(), [
      // The engine tells a replacement thrice.
      "created kubernetes:core/v1:ConfigMap",
      "deleted kubernetes:core/v1:ConfigMap",
      "replaced kubernetes:core/v1:ConfigMap",
      "updated kubernetes:apps/v1:DaemonSet",
    ]);
    assert.deepEqual(await lab.readyNodes(), [...linux, "win-1"]);
    assert.deepEqual(await routeToOther(), { device: "eth0", gateway: await addressOf(worker) });
  });

  it("verifies every path between its Linux nodes, and no packet travels in VXLAN", async () => {
    const packets = await vxlanPackets(linux, () => verifiesLinuxPaths(lab, 1));
    assert.deepEqual(packets, [0, 0]);
  });

  it("plans nothing with plain routes, also after a refresh", planNothing);

  it("goes down and leaves nothing behind", async () => {
    await succeeded(lab.kindows("down"));
    await succeeded(lab.kindows("doctor"));
  });
});
