import assert from "node:assert/strict";
import { type Asked, isNode, partsOf, turnOff } from "../../../cli/power/turn-off.ts";
import { partsOfNode } from "../../../cli/commands/stop.ts";
import { Failure } from "../../../host/failure.ts";
import { connect, loginOf } from "../rehearsal/machine/ssh-client.ts";
import { hostFor } from "../rehearsal/machine/step-runner.ts";
import { type Answers, domainXml, psLine, recordedHost, registryLine } from "./recorded-host.ts";

const domains = ["x-win-1", "x-win-2", "y-win-1", "x-linux-1"];
const answers: Answers = {
  "virsh list --all": [
    "1 kindows-x-win-1 running",
    "- kindows-x-win-2 shut off",
    "3 kindows-y-win-1 running",
    "4 kindows-x-linux-1 paused",
  ].join("\n"),
  ...Object.fromEntries(
    domains.map((name) => [
      `virsh dumpxml --inactive kindows-${name}`,
      domainXml(`kindows-${name.slice(0, 1)}`, "", name),
    ]),
  ),
  [psLine]: [
    "kindows-x-control-plane running kindows-x control-plane",
    "kindows-x-worker exited kindows-x worker",
    "kindows-y-control-plane running kindows-y control-plane",
  ].join("\n"),
  [registryLine]: "kindows-x-registry running kindows-x 0123456789abcdef",
};

const stopContainers = "docker stop --time 30 kindows-x-control-plane kindows-x-registry";
const destroy = (node: string): string => `virsh destroy kindows-x-${node}`;

describe("turning off a lab", () => {
  const machine = hostFor("each");

  /** @param asked how machines are asked. @returns what was said and done, in order. */
  async function off(
    asked: Readonly<Record<string, Asked>>,
    more: Answers = {},
  ): Promise<{ readonly said: readonly string[]; readonly done: readonly string[] }> {
    const recorded = recordedHost({
      ...answers,
      [stopContainers]: "",
      [destroy("win-1")]: "",
      [destroy("linux-1")]: "",
      ...more,
    });
    const host = {
      ...recorded,
      run: async (program: string, args: readonly string[]) => {
        if (args.at(-2) !== "domstate") return recorded.run(program, args);
        await machine.up();
        return "shut off\n";
      },
    };
    const said: string[] = [];
    const parts = await partsOf(host, "kindows-x");
    await turnOff(host, parts, new Map(Object.entries(asked)), (line) => said.push(line));
    const done = recorded.asked.filter((line) => /^(docker stop|virsh destroy)/.test(line));
    return { said, done };
  }

  it("has each machine shut down by itself, and then stops the containers", async () => {
    const { said, done } = await off({ "win-1": { os: "windows", source: loginOf(machine) } });
    assert.deepEqual(done, [destroy("linux-1"), stopContainers]);
    assert.deepEqual(said.toSorted(), [
      "kindows-x-control-plane is off",
      "kindows-x-registry is off",
      "linux-1 is off",
      "linux-1 is powered off: nothing is known of how to log in to it",
      "win-1 is off",
      "win-1 shuts down",
    ]);
    await assert.rejects(connect(machine), /ECONNREFUSED/);
  });

  it("powers off a machine that cannot be asked, and says why", async () => {
    const source = { ...loginOf(machine), user: "nobody" };
    const { said, done } = await off({ "win-1": { os: "windows", source } });
    assert.deepEqual(done.toSorted(), [stopContainers, destroy("linux-1"), destroy("win-1")]);
    assert.ok(said.some((line) => /^win-1 is powered off: .*authentication/.test(line)));
  });

  it("goes on where one cannot be turned off, and names it", async () => {
    const more = {
      [destroy("linux-1")]: new Error("it is busy"),
      [stopContainers]: new Error("no"),
    };
    await assert.rejects(off({}, more), /linux-1: it is busy[^]*no/);
  });
});

describe("the machines and containers of a node", () => {
  it("are those of this lab, by the node's name", async () => {
    const parts = await partsOf(recordedHost(answers), "kindows-x");
    assert.deepEqual(
      parts.map(({ node, isRunning }) => [node, isRunning]),
      [
        ["win-1", true],
        ["win-2", false],
        ["linux-1", true],
        ["kindows-x-control-plane", true],
        ["kindows-x-worker", false],
        ["kindows-x-registry", true],
      ],
    );
    assert.deepEqual(
      parts.filter((part) => !isNode(part)).map(({ node }) => node),
      ["kindows-x-registry"],
    );
    assert.deepEqual(
      partsOfNode(parts, "win-2", "x").map(({ resource }) => resource.name),
      ["kindows-x-win-2"],
    );
    assert.throws(
      () => partsOfNode(parts, "win-9", "x"),
      (error) => error instanceof Failure && /win-9 .*win-1, win-2/.test(error.message),
    );
    assert.throws(() => partsOfNode([], undefined, "x"), /kindows up --stack x/);
  });
});
