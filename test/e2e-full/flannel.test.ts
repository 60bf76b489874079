import assert from "node:assert/strict";
import type * as z from "zod";

import type { FlannelBackend } from "../../components/cni/flannel/flannel-config.ts";
import { waitUntil } from "../../host/wait-until.ts";
import { statePath } from "../../rehearsal/machine/state.ts";
import { hnsSchema } from "../../rehearsal/windows/hns/objects.ts";
import { engineChanges, inContainer, succeeded, TestLab } from "../e2e/lab.ts";
import {
  hasPathsAfterPowerCycle,
  takesInSecondWindowsNode,
  verifiesLinuxPaths,
} from "../e2e/verified.ts";
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

  /** What HNS has on a Windows node. */
  async function hnsOf(node: string): Promise<z.infer<typeof hnsSchema>> {
    const state = JSON.parse(await lab.onMachine(node, `type ${statePath}`)) as { hns: unknown };
    return hnsSchema.parse(state.hns);
  }

  /** How a Linux node reaches the pods of another one, by its own table of routes. */
  async function routeTo(
    node: string,
  ): Promise<{ readonly device: string; readonly gateway: string }> {
    const range = await lab.kubectl("get", "node", node, "-o", "jsonpath={.spec.podCIDR}");
    const routes = await inContainer(controlPlane, "ip", "-j", "route", "show", range);
    const [route] = JSON.parse(routes) as { dev: string; gateway: string }[];
    assert.ok(route, `${controlPlane} has no route to the pods of ${node}, ${range}`);
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
    assert.equal((await routeTo(worker)).device, "flannel.4096");
  });

  it("runs Flannel and kube-proxy themselves on its Windows node: HNS has the ways to the others, and the Services", async () => {
    const { networks } = await hnsOf("win-1");
    assert.deepEqual(
      networks.map(({ Name }) => Name),
      ["flannel.4096"],
    );
    const ways = (networks[0]?.Policies ?? []).flatMap(({ Type, Settings }) =>
      Type === "RemoteSubnetRoute" ? [Settings["ProviderAddress"]] : [],
    );
    assert.deepEqual(ways.sort(), (await Promise.all(linux.map(addressOf))).sort());
    for (const [namespace, name] of [
      ["default", "kubernetes"],
      ["kube-system", "kube-dns"],
    ] as const) {
      const of = ["-n", namespace, "get", "service", name, "-o", "jsonpath={.spec.clusterIP}"];
      const vip = await lab.kubectl(...of);
      // A Service whose pods are not ready yet has no load balancer: CoreDNS starts once Flannel is there.
      const wait = { what: `kube-proxy's load balancer for ${name}`, timeoutSeconds: 180 };
      await waitUntil({ ...wait, pollMilliseconds: 3000 }, async () => {
        const { loadBalancers } = await hnsOf("win-1");
        const vips = loadBalancers.flatMap(({ FrontendVIPs }) => FrontendVIPs);
        return vips.includes(vip) ? undefined : `there are ${vips.join(", ") || "none"}`;
      });
    }
    assert.equal((await routeTo("win-1")).device, "flannel.4096");
  });

  it("plans nothing with VXLAN, also after a refresh", planNothing);

  it("verifies every path between its nodes and their pods, Windows too, whose packets travel in VXLAN", async () => {
    const packets = await vxlanPackets(linux, () => verifiesLinuxPaths(lab, 1, "vxlan"));
    console.log(`      ${packets.join(" and ")} packets of VXLAN were sent`);
    assert.ok(
      packets.every((each) => each > 0),
      `sent: ${packets.join(", ")}`,
    );
  });

  it("has the same paths after its Windows node was turned off and on", () =>
    hasPathsAfterPowerCycle(lab));

  it("takes in a second Windows node, verifies the paths between the two, lets it go, and touches nothing else", () =>
    takesInSecondWindowsNode(lab, (...nodes) => configure("vxlan", ...nodes), linux, "vxlan"));

  it("goes over to plain routes in place: Flannel's configuration and its pods, the steps of the Windows node, kube-proxy's pods", async () => {
    await configure("host-gw", "win-1");
    const done = await changes();
    const told = (which: (name: string) => boolean, what: "name" | "type"): string[] =>
      done
        .filter(({ name }) => which(name))
        .map((change) => `${change.operation} ${change[what]}`)
        .sort();
    const isLinux = (name: string): boolean => name === "flannel";
    assert.deepEqual(
      told((name) => !isLinux(name), "name"),
      [
        ...["updated kube-proxy-windows", "updated kube-proxy-windows-on-nodes"],
        ...["updated win-1-add-externalnetwork", "updated win-1-confirm-externalnetwork"],
        "updated win-1-install-flannel",
      ],
    );
    assert.deepEqual(told(isLinux, "type"), [
      // The engine tells a replacement thrice.
      "created kubernetes:core/v1:ConfigMap",
      "deleted kubernetes:core/v1:ConfigMap",
      "replaced kubernetes:core/v1:ConfigMap",
      "updated kubernetes:apps/v1:DaemonSet",
    ]);
    assert.deepEqual(await lab.readyNodes(), [...linux, "win-1"]);
    for (const node of [worker, "win-1"]) {
      assert.deepEqual(await routeTo(node), { device: "eth0", gateway: await addressOf(node) });
    }
    const { networks } = await hnsOf("win-1");
    assert.deepEqual(
      networks.map(({ Name }) => Name),
      ["cbr0"],
    );
  });

  it("verifies every path between its nodes and their pods, Windows too, and no packet travels in VXLAN", async () => {
    const packets = await vxlanPackets(linux, () => verifiesLinuxPaths(lab, 1, "host-gw"));
    assert.deepEqual(packets, [0, 0]);
  });

  it("plans nothing with plain routes, also after a refresh", planNothing);

  it("goes down and leaves nothing behind", async () => {
    await succeeded(lab.kindows("down"));
    await succeeded(lab.kindows("doctor"));
  });
});
