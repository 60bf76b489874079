import assert from "node:assert/strict";
import { execa } from "execa";

import type { PropertyMap } from "../../../offline/plugins/protocol/property-value.ts";
import { Plugin, type Resource } from "./support/plugin.ts";

describe("docker.Network, on Docker's engine", () => {
  const suffix = process.pid.toString(36);
  const name = `kindows-test-${suffix}`;
  const inputs: PropertyMap = {
    name,
    driver: "bridge",
    ipamConfigs: [
      { subnet: "198.18.113.0/24", gateway: "198.18.113.1", ipRange: "198.18.113.128/25" },
    ],
    options: {
      "com.docker.network.bridge.name": `kwt-${suffix}`,
      "com.docker.network.bridge.enable_ip_masquerade": "false",
    },
    labels: [{ label: "kindows.lab-id", value: "0123456789abcdef" }],
  };
  let plugin: Plugin;
  let network: Resource;
  const docker = async (...args: readonly string[]): Promise<string> =>
    (await execa("docker", args)).stdout;
  const inspect = async (format: string): Promise<unknown> =>
    JSON.parse(await docker("network", "inspect", "--format", `{{json ${format}}}`, name));

  before(async () => {
    plugin = await Plugin.start("docker");
  });
  beforeEach(() => {
    network = plugin.resource("docker:index/network:Network", "lab");
  });
  afterEach(() => execa("docker", ["network", "rm", name], { reject: false }));
  after(() => plugin.stop());

  it("is made as the inputs say, and stays as long as they do", async () => {
    assert.deepEqual((await network.preview(inputs)).steps, ["create"]);
    await assert.rejects(inspect(".Id"));
    assert.deepEqual(await network.up(inputs), ["create"]);
    assert.equal(await inspect(".Id"), network.id);
    assert.deepEqual(await inspect(".Labels"), { "kindows.lab-id": "0123456789abcdef" });
    assert.deepEqual(await inspect(".Options"), inputs["options"]);
    assert.deepEqual(await inspect(".IPAM.Config"), [
      { Subnet: "198.18.113.0/24", Gateway: "198.18.113.1", IPRange: "198.18.113.128/25" },
    ]);
    assert.deepEqual(await network.up(inputs), ["same"]);
    assert.equal(await network.refresh(), "same");
    assert.deepEqual(await network.up(inputs), ["same"]);
  });

  it("is replaced for any change, the old one first", async () => {
    await network.up(inputs);
    const { id } = network;
    const changed = { ...inputs, labels: [{ label: "kindows.lab-id", value: "another" }] };
    assert.deepEqual(await network.up(changed), ["delete-replaced", "create-replacement"]);
    assert.notEqual(await inspect(".Id"), id);
  });

  it("is gone if somebody has removed it, even if there is another one of its name", async () => {
    await network.up(inputs);
    await docker("network", "rm", name);
    await docker("network", "create", name);
    assert.equal(await network.refresh(), "gone");
  });

  it("that somebody else has made is neither taken nor removed", async () => {
    await network.up(inputs);
    await docker("network", "rm", name);
    const theirs = await docker("network", "create", name);
    await network.delete();
    assert.equal(await inspect(".Id"), theirs);
    await assert.rejects(
      plugin.resource("docker:index/network:Network", "lab").up(inputs),
      /network with name kindows-test-\S+ already exists/,
    );
    assert.equal(await inspect(".Id"), theirs);
  });
});
