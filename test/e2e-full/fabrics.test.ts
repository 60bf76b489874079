import assert from "node:assert/strict";

import { HostNamespaces } from "./outside/host-namespaces.ts";

const hosts = ["local", "r2", "r3"];

/** Real packets between namespaces that stand for hosts, with the programs that kindows installs on hosts. */
for (const fabric of ["vxlan"] as const) {
  describe(`the fabric ${fabric} between three hosts`, function () {
    this.bail(true);

    const lab = new HostNamespaces("kwt", fabric, hosts);
    const before = new Map<string, string>();
    before.clear();

    const connected = async (): Promise<string[]> => {
      const pairs = [
        ["local", "r2"],
        ["local", "r3"],
        ["r2", "r3"],
      ] as const;
      const found: string[] = [];
      for (const [one, other] of pairs) {
        if (await lab.isConnected(one, other)) found.push(`${one}-${other}`);
      }
      return found;
    };

    this.beforeAll(async () => {
      await lab.make();
      for (const host of hosts) before.set(host, await lab.configuration(host));
    });
    this.afterAll(() => lab.remove());

    it("carries nothing before it is made", async () => {
      assert.deepEqual(await connected(), []);
    });

    it("connects two hosts", async () => {
      await lab.connect(["local", "r2"]);
      assert.deepEqual(await connected(), ["local-r2"]);
    });

    it("takes a third host in, and is the same when applied again", async () => {
      await lab.connect(hosts);
      await lab.connect(hosts);
      assert.deepEqual(await connected(), ["local-r2", "local-r3", "r2-r3"]);
    });

    it("loses only the pair between which the network is parted, and has it again afterwards", async () => {
      await lab.part("local", "r2", true);
      assert.deepEqual(await connected(), ["local-r3", "r2-r3"]);
      await lab.part("local", "r2", false);
      assert.deepEqual(await connected(), ["local-r2", "local-r3", "r2-r3"]);
    });

    for (const host of ["r2", "local"]) {
      it(`goes on without ${host}, and has it again after its reboot`, async () => {
        await lab.reboot(host);
        const others = hosts.filter((one) => one !== host);
        assert.deepEqual(await connected(), [others.join("-")]);
        await lab.start(host);
        assert.deepEqual(await connected(), ["local-r2", "local-r3", "r2-r3"]);
      });
    }

    it("lets a host go, and leaves nothing on it", async () => {
      await lab.disconnect("r3");
      await lab.connect(["local", "r2"]);
      assert.equal(await lab.configuration("r3"), before.get("r3"));
      assert.deepEqual(await connected(), ["local-r2"]);
    });

    it("leaves nothing when it is removed, even twice", async () => {
      for (const host of [...hosts, ...hosts]) await lab.disconnect(host);
      for (const host of hosts) assert.equal(await lab.configuration(host), before.get(host), host);
    });

    it("refuses an interface that is not the lab's, and leaves it alone", async () => {
      const { bridge } = lab.settings.network;
      await lab.run("r2", `ip link add ${bridge} type bridge`);
      const there = await lab.configuration("r2");
      await assert.rejects(lab.connect(["r2", "local"]), /is not the lab's/);
      await lab.disconnect("r2");
      assert.equal(await lab.configuration("r2"), there);
    });
  });
}
