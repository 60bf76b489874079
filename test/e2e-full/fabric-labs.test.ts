import assert from "node:assert/strict";
import { execa } from "execa";

import { succeeded, TestLab, virsh } from "../e2e/lab.ts";
import { verifiesLinuxPaths } from "../e2e/verified.ts";
import { builtFlannelArchive } from "./flannel/images.ts";
import { SecondHypervisor } from "./outside/second-hypervisor.ts";

/** What a host has that is not its own: interfaces, rules, and what libvirt has. */
const configuration = `ip -br link | sed 's/[@ ].*//' | grep ^kw; ip rule; iptables-save | grep -e kindows-e2e -e kw-e2e
for what in list net-list pool-list; do virsh $what --all --name; done
ls -d /var/lib/kindows/* 2>/dev/null || :`;

const here = async (): Promise<string> => (await execa("sh", ["-c", configuration])).stdout;

/** With Windows, as far as it is rehearsed, on the other host. */
const windows = {
  settings: { cluster: { workers: [{ name: "worker-1" }] } },
  node: { name: "win-1" },
  windowsNodes: 1,
} as const;

/** With Linux there: rehearsed Windows leads packets to pods by way of neighbours only. */
const linux = {
  settings: {
    cni: { kind: "flannel" },
    linux: { cpus: 2, memoryMiB: 2048, diskGiB: 10 },
  },
  node: { name: "linux-1", os: "linux" },
  windowsNodes: 0,
} as const;

const labs = [
  { fabric: "vxlan", ...windows },
  { fabric: "ovn", ...windows },
  { fabric: "routed", ...linux, own: { cidr: "192.168.190.0/24" } },
] as const;

/** Labs whose one machine is on another hypervisor than everything else: packets to and from it are the fabric's. */
for (const { fabric, settings, node, windowsNodes, ...more } of labs) {
  describe(`a rehearsal lab over ${fabric}`, function () {
    this.bail(true);

    const lab = new TestLab(`e2e${fabric}`);
    const second = new SecondHypervisor();
    const linuxNodes = [lab.controlPlane, ...(windowsNodes ? [`${lab.prefix}-worker-1`] : [])];
    const before = { here: "", there: "" };
    let imageArchives: readonly string[] = [];

    const configure = (...nodes: readonly object[]): Promise<void> =>
      lab.configure({
        ...second.settings("own" in more ? more.own : {}),
        network: { cidr: "192.168.189.0/24", fabric },
        ...settings,
        cluster: { ...("cluster" in settings && settings.cluster), imageArchives },
        nodes: nodes.map((one) => ({ ...one, hypervisor: second.name })),
      });

    const comesUp = async (): Promise<void> => {
      await succeeded(lab.kindows("up"), "up");
      await lab.untilReady([...linuxNodes, node.name]);
      assert.doesNotMatch(await virsh("list", "--name"), new RegExp(lab.prefix));
      assert.match(
        await second.run("virsh list --name"),
        new RegExp(`^${lab.prefix}-${node.name}$`, "m"),
      );
      await lab.plansNothing();
    };

    this.beforeAll(async () => {
      if (fabric === "routed") imageArchives = [await builtFlannelArchive()];
      await second.start(fabric === "ovn");
      await configure(node);
      await lab.kindows("down");
      before.there = await second.run(configuration);
      before.here = await here();
    });
    this.afterAll(async () => {
      try {
        await lab.remove();
      } finally {
        await second.remove();
      }
    });

    it("comes up, its machine on the other host", async () => {
      await comesUp();
      const { output } = await succeeded(lab.kindows("status"));
      assert.match(output, new RegExp(`^${node.name} +\\w+ +yes `, "m"));
    });

    it("verifies every path that it can, those of the machine between the hosts", () =>
      verifiesLinuxPaths(lab, windowsNodes));

    it("lets the other host go with its last machine, and leaves nothing there", async () => {
      await configure();
      await succeeded(lab.kindows("up"), "up");
      await lab.untilReady(linuxNodes);
      assert.equal(await second.run(configuration), before.there);
    });

    it("takes the other host in again with its first machine", async () => {
      await configure(node);
      await comesUp();
    });

    it("goes down and leaves nothing on either host", async () => {
      await succeeded(lab.kindows("down"), "down");
      assert.equal(await second.run(configuration), before.there);
      assert.equal(await here(), before.here);
      await succeeded(lab.kindows("doctor"));
    });
  });
}
