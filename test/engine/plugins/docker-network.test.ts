import assert from "node:assert/strict";
import { execa } from "execa";
import { EngineProject, type EngineRun } from "./support/engine.ts";

interface Inspected {
  readonly Id: string;
  readonly Driver: string;
  readonly Internal: boolean;
  readonly Options: Readonly<Record<string, string>>;
  readonly Labels: Readonly<Record<string, string>>;
  readonly IPAM: { readonly Config: readonly Readonly<Record<string, string>>[] };
}

describe("docker.Network in the engine", function () {
  this.timeout(60_000);
  const name = `kindows-test-${process.pid.toString(36)}`;
  // Addresses for documentation: no network of a host has them.
  const range = `subnet: '198.51.100.0/24', gateway: '198.51.100.1', ipRange: '198.51.100.128/25'`;
  let project: EngineProject;

  before(async () => {
    project = await EngineProject.create();
  });

  after(async () => {
    await project.dispose();
    await execa("docker", ["network", "rm", name], { reject: false });
  });

  const write = (args: string, providerArgs = "{}", resources = ""): Promise<void> =>
    project.program(`
      import * as docker from "@pulumi/docker";
      const provider = new docker.Provider("provider", ${providerArgs});
      const network = new docker.Network("network", ${args}, { provider });
      ${resources}
      export const name = network.name;
      export const id = network.id;
    `);

  const up = async (args: string, providerArgs?: string): Promise<EngineRun> => {
    await write(args, providerArgs);
    return project.up();
  };

  const inspect = async (network: string): Promise<Inspected | undefined> => {
    const found = await execa("docker", ["network", "inspect", network], { reject: false });
    return (JSON.parse(found.stdout) as Inspected[])[0];
  };

  const given = `{ name: '${name}', driver: 'bridge', internal: true, ipamConfigs: [{ ${range} }],
    labels: [{ label: 'kindows', value: 'test' }],
    options: { 'com.docker.network.bridge.enable_ip_masquerade': 'false' } }`;

  it("makes the network as asked, and finds nothing to change afterwards", async () => {
    await write(given);
    const preview = await project.preview();
    assert.equal(preview.exitCode, 0, preview.text);
    assert.equal(await inspect(name), undefined);

    const made = await project.up();
    assert.equal(made.exitCode, 0, made.text);
    const found = await inspect(name);
    assert.equal(found?.Driver, "bridge");
    assert.equal(found.Internal, true);
    assert.deepEqual(found.Labels, { kindows: "test" });
    assert.deepEqual(found.Options, { "com.docker.network.bridge.enable_ip_masquerade": "false" });
    assert.deepEqual(found.IPAM.Config, [
      { Subnet: "198.51.100.0/24", Gateway: "198.51.100.1", IPRange: "198.51.100.128/25" },
    ]);
    assert.deepEqual(await project.outputs(), { name, id: found.Id });

    for (const again of [
      await project.preview("--expect-no-changes"),
      await project.refresh("--expect-no-changes"),
      await project.preview("--expect-no-changes"),
    ]) {
      assert.equal(again.exitCode, 0, again.text);
    }
  });

  it("refuses a second network of the same name", async () => {
    await write(
      given,
      "{}",
      `new docker.Network("second", { name: '${name}' }, { provider, dependsOn: network });`,
    );
    const run = await project.up();
    assert.notEqual(run.exitCode, 0);
    assert.match(run.text, new RegExp(`network with name ${name} already exists`));
  });

  it("replaces it for a changed property: the old one goes first", async () => {
    const before = await inspect(name);
    const run = await up(given.replace("internal: true", "internal: false"));
    assert.equal(run.exitCode, 0, run.text);
    const steps = run.steps["network"] ?? [];
    assert.ok(steps.indexOf("delete-replaced") < steps.indexOf("create-replacement"), run.text);
    const found = await inspect(name);
    assert.equal(found?.Internal, false);
    assert.notEqual(found.Id, before?.Id);
  });

  it("makes it again when it was removed behind its back", async () => {
    await execa("docker", ["network", "rm", name]);
    const refreshed = await project.refresh();
    assert.equal(refreshed.exitCode, 0, refreshed.text);
    const run = await project.up();
    assert.deepEqual(run.steps["network"], ["create"], run.text);
  });

  it("deletes it, and does not mind when it is gone already", async () => {
    await execa("docker", ["network", "rm", name]);
    const destroyed = await project.destroy();
    assert.equal(destroyed.exitCode, 0, destroyed.text);
    assert.equal(await inspect(name), undefined);
  });

  it("makes up a name where none is given, and keeps it", async () => {
    const made = await up("{}");
    assert.equal(made.exitCode, 0, made.text);
    const { name: madeUp } = await project.outputs();
    assert.match(String(madeUp), /^network-[0-9a-f]{7}$/);
    try {
      const again = await project.preview("--expect-no-changes");
      assert.equal(again.exitCode, 0, again.text);
    } finally {
      await project.destroy();
    }
    assert.equal(await inspect(String(madeUp)), undefined);
  });

  it("says which Docker it cannot reach", async () => {
    const run = await up("{}", "{ host: 'unix:///nowhere/docker.sock' }");
    assert.notEqual(run.exitCode, 0);
    assert.match(run.text, /unix:\/\/\/nowhere\/docker\.sock/);
  });
});
