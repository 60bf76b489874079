import assert from "node:assert/strict";

import { waitUntil } from "../../host/wait-until.ts";
import { HostNamespaces } from "./outside/host-namespaces.ts";

const hosts = ["local", "r2", "r3"];
const pairs = [
  ["local", "r2"],
  ["local", "r3"],
  ["r2", "r3"],
] as const;
const all = pairs.map((pair) => pair.join("-"));

/** Real packets between namespaces that stand for hosts, with the programs that kindows installs on hosts. */
for (const fabric of ["ovn", "routed", "vxlan"] as const) {
  describe(`the fabric ${fabric} between three hosts`, function () {
    this.bail(true);

    const lab = new HostNamespaces("kwt", fabric, hosts, fabric === "ovn" ? 1600 : 1500);
    const before = new Map<string, string>();

    const connected = async (...wanted: readonly string[]): Promise<void> => {
      const what = `the pairs ${wanted.join(", ")}`;
      await waitUntil({ what, timeoutSeconds: 90, pollMilliseconds: 500 }, async () => {
        const found = await Promise.all(
          pairs.map(async ([one, other]) =>
            (await lab.isConnected(one, other)) ? [`${one}-${other}`] : [],
          ),
        );
        const text = found.flat().join(", ");
        return text === wanted.join(", ") ? undefined : `connected: ${text}`;
      });
    };

    this.beforeAll(async () => {
      await lab.make();
      for (const host of hosts) before.set(host, await lab.configuration(host));
    });
    this.afterAll(() => lab.remove());

    it("carries nothing before it is made", async () => {
      await connected();
    });

    it("connects two hosts", async () => {
      await lab.connect(["local", "r2"]);
      await connected("local-r2");
    });

    it("takes a third host in, and is the same when applied again", async () => {
      await lab.connect(hosts);
      await lab.connect(hosts);
      await connected(...all);
    });

    if (fabric === "routed") {
      it("carries packets as they are, with the machines' own addresses", async () => {
        const rules = await lab.run("r2", "iptables -t nat -vS POSTROUTING");
        assert.match(rules, /MASQUERADE -c 0 0|-c 0 0 -j MASQUERADE/);
      });
    }

    it("loses only the pair between which the network is parted, and has it again afterwards", async () => {
      await lab.part("local", "r2", true);
      await connected("local-r3", "r2-r3");
      await lab.part("local", "r2", false);
      await connected(...all);
    });

    for (const host of ["r2", "local"]) {
      it(`goes on without ${host}, and has it again after its reboot`, async () => {
        await lab.reboot(host);
        const others = hosts.filter((one) => one !== host);
        await connected(others.join("-"));
        await lab.start(host);
        await connected(...all);
      });
    }

    it("lets a host go, and leaves nothing on it", async () => {
      await lab.disconnect("r3");
      await lab.connect(["local", "r2"]);
      assert.equal(await lab.configuration("r3"), before.get("r3"));
      await connected("local-r2");
    });

    it("leaves nothing when it is removed, even twice", async () => {
      for (const host of [...hosts, ...hosts]) await lab.disconnect(host);
      for (const host of hosts) assert.equal(await lab.configuration(host), before.get(host), host);
    });

    if (fabric === "routed") {
      it("finds a route of somebody else's into the range of another host", async () => {
        assert.equal(await lab.probe("r2"), "");
        await lab.run("r2", "ip route add 192.168.72.0/25 dev eth0");
        assert.match(await lab.probe("r2"), /^taken 192\.168\.72\.0\/24: 192\.168\.72\.0\/25 /);
      });
      return;
    }

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
