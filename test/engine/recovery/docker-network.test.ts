import assert from "node:assert/strict";
import { execa } from "execa";

import { runAction } from "../../unit/controlplane/run-action.ts";
import { type EngineProject, succeeded } from "../plugins/support/engine.ts";
import { sourcesProject } from "../plugins/support/sources.ts";

describe("Docker's network of a lab", () => {
  const suffix = process.pid.toString(36);
  const name = `kindows-test-${suffix}`;
  const network = {
    name,
    bridge: `kwt-${suffix}`,
    subnet: "198.18.113.0/24",
    gateway: "198.18.113.1",
    ipRange: "198.18.113.128/25",
    labId: "0123456789abcdef",
  };
  const docker = async (...args: string[]): Promise<string> => (await execa("docker", args)).stdout;
  const idOf = (): Promise<string> => docker("network", "inspect", "--format", "{{.Id}}", name);
  const run = async (what: string, more: object = {}, id = ""): Promise<string> => {
    const ended = await runAction(`network/actions/docker-network ${what}`, {
      NETWORK: JSON.stringify({ ...network, ...more }),
      PULUMI_COMMAND_STDOUT: id,
    });
    assert.equal(ended.exitCode, 0, ended.stderr);
    return ended.stdout;
  };
  afterEach(() => execa("docker", ["network", "rm", name], { reject: false }));

  it("is made once, found, and removed", async () => {
    const id = await run("create");
    assert.equal(id, await idOf());
    assert.equal(await run("create"), id);
    assert.equal(await run("read", {}, id), "");
    assert.deepEqual(JSON.parse(await run("read", {}, "that of before")), {
      gone: `there is another Docker network ${name}`,
    });
    await run("delete", {}, "that of before");
    assert.equal(await idOf(), id);
    await run("delete", {}, id);
    assert.deepEqual(JSON.parse(await run("read", {}, id)), {
      gone: `there is no Docker network ${name}`,
    });
    assert.equal(await run("delete"), "");
  });

  it("of another lab is neither taken nor replaced nor removed", async () => {
    const id = await run("create");
    const others = { ...network, labId: "fedcba9876543210" };
    const { exitCode, stderr } = await runAction("network/actions/docker-network create", {
      NETWORK: JSON.stringify(others),
      PULUMI_COMMAND_STDOUT: "",
    });
    assert.equal(exitCode, 1);
    assert.match(stderr, /that this lab has not made.*`docker network rm /);
    assert.equal(await idOf(), id);
  });

  it("is made anew where it is another one, unless a container is in it", async () => {
    const id = await run("create", { ipRange: "198.18.113.192/26" });
    assert.notEqual(await run("create"), id);
    const options = await docker("network", "inspect", "--format", "{{json .Options}}", name);
    assert.deepEqual(JSON.parse(options), {
      "com.docker.network.bridge.name": network.bridge,
      "com.docker.network.bridge.enable_ip_masquerade": "false",
    });
  });

  describe("in a state of an earlier version, whose plugin is not there any more", () => {
    let project: EngineProject;
    before(async () => {
      project = await sourcesProject();
    });
    after(async () => {
      await project.dispose();
    });

    const provider = "urn:pulumi:dev::test::pulumi:providers:docker::docker";
    const stack = "urn:pulumi:dev::test::pulumi:pulumi:Stack::test-dev";

    /** With the network as that version recorded it. */
    const recorded = async (): Promise<string> => {
      const id = await run("create");
      const { deployment, ...version } = JSON.parse(
        (await project.run(["stack", "export"])).text,
      ) as { deployment: object };
      const inputs = { __defaults: [], name, driver: "bridge", ipamConfigs: [], options: {} };
      const resources = [
        { urn: stack, type: "pulumi:pulumi:Stack" },
        { urn: provider, custom: true, id: "5f1e", type: "pulumi:providers:docker", parent: stack },
        {
          urn: "urn:pulumi:dev::test::docker:index/network:Network::lab",
          custom: true,
          id,
          type: "docker:index/network:Network",
          parent: stack,
          inputs,
          outputs: { ...inputs, id, scope: "local" },
          provider: `${provider}::5f1e`,
        },
      ];
      const state = JSON.stringify({ ...version, deployment: { ...deployment, resources } });
      await project.write("state.json", state);
      const imported = await project.run(["stack", "import", "--file", "state.json"]);
      assert.equal(imported.exitCode, 0, imported.text);
      return id;
    };

    it("stays what it is when it is taken over", async () => {
      const id = await recorded();
      await project.program(`
        import { observedAction } from "./components/host-action/host-action.ts";
        const action = "network/docker-network";
        observedAction("lab", {
          create: action + " create", read: action + " read", delete: action + " delete",
          environment: { NETWORK: ${JSON.stringify(network)} },
          addPreviousOutputInEnv: true,
        }, { deleteBeforeReplace: true, aliases: [{ type: "docker:index/network:Network" }] });`);
      const { steps, text } = succeeded(await project.up());
      assert.deepEqual([steps["lab"], steps["docker"]], [["update"], ["delete"]], text);
      assert.equal(await idOf(), id);
      assert.deepEqual(succeeded(await project.up("--refresh")).steps["lab"], ["refresh", "same"]);
      assert.deepEqual(succeeded(await project.destroy()).steps["lab"], ["delete"]);
      await assert.rejects(idOf());
    });
  });
});
