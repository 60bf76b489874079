import assert from "node:assert/strict";
import type * as pulumi from "@pulumi/pulumi";
import { isSecret } from "@pulumi/pulumi";
import {
  makeNode,
  nodeCommands as commands,
  nodeResources as order,
  registered,
  secrets,
  startMocks,
  valueOf,
  type MockedNode,
  type Registered,
} from "./windows-node-mocks.ts";

const onMachine = order.slice(0, -2);

describe("a Windows node", () => {
  let made: MockedNode;
  const get = (name: string): Registered => registered(made, name);
  const property = (name: string, key: string): Promise<unknown> => valueOf(get(name).props[key]);
  const dependencies = (name: string): pulumi.Resource[] =>
    [get(name).opts.dependsOn ?? []].flat() as pulumi.Resource[];

  before(async () => {
    await startMocks(false);
    made = makeNode();
  });

  it("consists of these resources", () => {
    assert.deepEqual([...made.resources.keys()], ["node", ...order]);
    assert.equal(get("node").type, "kindows:windows:WindowsNode");
  });

  for (const [index, name] of order.entries()) {
    it(`${name} is a child of the node`, () => {
      assert.equal(get(name).opts.parent, made.node);
    });

    it(`${name} waits for what comes before it`, () => {
      const before = index === 0 ? made.machine.resource : get(order[index - 1] ?? "").resource;
      assert.ok(dependencies(name).includes(before));
    });

    it(`${name} is made again on a new machine, and for no other trigger`, async () => {
      assert.deepEqual(await property(name, "triggers"), ["machine-1"]);
      assert.equal(get(name).opts.deleteBeforeReplace, true);
    });

    it(`${name} ends in bounded time`, () => {
      const { create, update } = get(name).opts.customTimeouts ?? {};
      assert.match(create ?? "", /^\d+s$/);
      assert.equal(update, create);
    });
  }

  it("waits for the control plane only when all is prepared", () => {
    const waiting = order.filter((name) => dependencies(name).includes(made.controlPlane.resource));
    assert.deepEqual(waiting, ["node-set-hostsentry"]);
  });

  for (const name of onMachine) {
    it(`${name} goes with the machine`, () => {
      assert.equal(get(name).opts.deletedWith, made.machine.resource);
    });

    it(`${name} has the machine's connection, as a secret`, async () => {
      assert.equal(await isSecret(get(name).props["connection"] as pulumi.Output<unknown>), true);
      const connection = (await property(name, "connection")) as Record<string, unknown>;
      const { host, privateKey, dialErrorLimit } = connection;
      assert.deepEqual(
        { host, privateKey, dialErrorLimit },
        await valueOf(made.machine.connection),
      );
    });
  }

  for (const name of ["node-registration", "node-ready"]) {
    it(`${name} goes with the control plane`, () => {
      assert.equal(get(name).opts.deletedWith, made.controlPlane.resource);
    });
  }

  for (const name of [...commands, "node-registration", "node-ready"]) {
    it(`${name} writes no log and passes no output on`, () => {
      assert.equal(get(name).props["logging"], "none");
      assert.equal(get(name).props["addPreviousOutputInEnv"], false);
    });
  }

  it("gives what the steps reported, as plain outputs", async () => {
    const { nodeName, windowsBuild, kubernetesVersion, containerdVersion } = made.node;
    assert.deepEqual(
      await Promise.all(
        [nodeName, windowsBuild, kubernetesVersion, containerdVersion].map((each) => valueOf(each)),
      ),
      ["win-1", "10.0.20348.4405", "1.36.4", "2.4.2"],
    );
    assert.equal(await isSecret(nodeName), false);
  });

  it("shows the engine no secrets as its own inputs", () => {
    assert.doesNotMatch(
      JSON.stringify(get("node").props),
      new RegExp(Object.values(secrets).join("|")),
    );
  });

  it("is drained before other programs are installed, and before nothing else", () => {
    const hooked = [...made.resources].filter(([, { opts }]) => opts.hooks !== undefined);
    assert.deepEqual(
      hooked.map(([name, { opts }]) => [name, opts.hooks?.beforeUpdate?.map(({ name }) => name)]),
      [
        ["node-install-containerd", ["node-drain"]],
        ["node-install-kubernetes", ["node-drain"]],
      ],
    );
  });

  it("does not take a machine without Windows", () => {
    assert.throws(() => makeNode({}, "linux"), /win-1 is a linux machine: .* os "windows"/);
  });
});
