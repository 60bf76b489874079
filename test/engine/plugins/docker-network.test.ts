import assert from "node:assert/strict";
import { execa } from "execa";
import { scalarText } from "../../../plugins/protocol/property-value.ts";
import { Plugin, type Resource } from "./support/plugin.ts";

interface Inspected {
  readonly Id: string;
  readonly Driver: string;
  readonly Internal: boolean;
  readonly Options: Readonly<Record<string, string>>;
  readonly Labels: Readonly<Record<string, string>>;
  readonly IPAM: { readonly Config: readonly Readonly<Record<string, string>>[] };
}

describe("docker.Network, on a real Docker", () => {
  const name = `kindows-test-${process.pid.toString(36)}`;
  let plugin: Plugin;
  let network: Resource;

  before(async () => {
    plugin = await Plugin.start("docker");
    network = plugin.resource("docker:index/network:Network", "network");
  });
  after(async () => {
    await plugin.stop();
    await execa("docker", ["network", "rm", name], { reject: false });
  });

  const inspect = async (which: string): Promise<Inspected | undefined> => {
    const found = await execa("docker", ["network", "inspect", which], { reject: false });
    return (JSON.parse(found.stdout) as Inspected[])[0];
  };

  // Addresses for documentation: no network of a host has them.
  const ipamConfigs = [
    { subnet: "198.51.100.0/24", gateway: "198.51.100.1", ipRange: "198.51.100.128/25" },
  ];
  const options = { "com.docker.network.bridge.enable_ip_masquerade": "false" };
  const labels = [{ label: "kindows", value: "test" }];
  const given = { name, driver: "bridge", internal: true, ipamConfigs, labels, options };

  it("is made as asked, and finds nothing to change afterwards", async () => {
    assert.deepEqual((await network.preview(given)).steps, ["create"]);
    assert.equal(await inspect(name), undefined);
    assert.deepEqual(await network.up(given), ["create"]);
    const found = (await inspect(name)) ?? assert.fail("it is not there");
    assert.deepEqual([found.Driver, found.Internal], ["bridge", true]);
    assert.deepEqual([found.Labels, found.Options], [{ kindows: "test" }, options]);
    assert.deepEqual(found.IPAM.Config, [
      { Subnet: "198.51.100.0/24", Gateway: "198.51.100.1", IPRange: "198.51.100.128/25" },
    ]);
    assert.deepEqual([network.id, network.state["name"]], [found.Id, name]);
    assert.deepEqual(await network.up(given), ["same"]);
    assert.equal(await network.refresh(), "same");
    assert.deepEqual(await network.up(given), ["same"]);
  });

  it("is refused where there is one of the same name", () =>
    assert.rejects(
      plugin.resource("docker:index/network:Network", "second").up({ name }),
      new RegExp(`network with name ${name} already exists`),
    ));

  it("is deleted, and need not be there any more", async () => {
    await execa("docker", ["network", "rm", name]);
    await network.delete();
    await network.up(given);
    await network.delete();
    assert.equal(await inspect(name), undefined);
  });

  it("gets a name where none is given, and keeps it", async () => {
    await network.up({});
    const madeUp = scalarText(network.state["name"]) ?? "";
    try {
      assert.match(madeUp, /^network-[0-9a-f]{7}$/);
      // The engine's seed is another one when the resource is checked again for a later update.
      assert.deepEqual(await network.up({}), ["same"]);
    } finally {
      await network.delete();
    }
    assert.equal(await inspect(madeUp), undefined);
  });

  it("says which Docker it cannot reach", async () => {
    await plugin.configure({ host: "unix:///nowhere/docker.sock" });
    await assert.rejects(network.up({}), /unix:\/\/\/nowhere\/docker\.sock/);
  });
});
