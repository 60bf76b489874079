import assert from "node:assert/strict";
import { execa } from "execa";

import { succeeded, TestLab, virsh } from "../e2e/lab.ts";
import { verifiesLinuxPaths } from "../e2e/verified.ts";
import { SecondHypervisor } from "./outside/second-hypervisor.ts";

/** Interfaces, routes and rules of a host that are not of its own. */
const configuration = `ip -br link | sed 's/[@ ].*//' | grep ^kw; ip rule; iptables-save | grep kindows-e2e; virsh list --all --name; ls -d /var/lib/kindows/* 2>/dev/null || :`;

/** Labs whose Windows machine is on another hypervisor than everything else: packets to and from it are the fabric's. */
for (const fabric of ["vxlan", "ovn"] as const) {
  describe(`a rehearsal lab over ${fabric}`, function () {
    this.bail(true);

    const lab = new TestLab(`e2e${fabric}`);
    const second = new SecondHypervisor("rack-2");
    let before = "";

    this.beforeAll(async () => {
      await second.start(fabric === "ovn");
      before = await second.run(configuration);
      await lab.configure({
        ...second.settings(),
        network: { cidr: "192.168.189.0/24", fabric },
        cluster: { workers: [{ name: "worker-1" }] },
        nodes: [{ name: "win-1", hypervisor: second.name }],
      });
      await lab.kindows("down");
    });
    this.afterAll(async () => {
      try {
        await lab.remove();
      } finally {
        await second.remove();
      }
    });

    it("comes up, its machine on the other host", async () => {
      await succeeded(lab.kindows("up"), "up");
      await lab.untilReady([lab.controlPlane, "win-1", `${lab.prefix}-worker-1`]);
      assert.doesNotMatch(await virsh("list", "--name"), new RegExp(lab.prefix));
      assert.match(await second.run("virsh list --name"), new RegExp(`^${lab.prefix}-win-1$`, "m"));
      await lab.plansNothing();
    });

    it("verifies every path that it can, those of Windows between the hosts", () =>
      verifiesLinuxPaths(lab, 1));

    it("goes down and leaves nothing on either host", async () => {
      await succeeded(lab.kindows("down"), "down");
      await succeeded(lab.kindows("doctor"));
      assert.equal(await second.run(configuration), before);
      const { stdout } = await execa("ip", ["-br", "link"]);
      assert.doesNotMatch(stdout, /^kw[xpoi]-[0-9a-f]{6}/m);
    });
  });
}
