import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { fingerprint } from "../../../host/ssh/host-key.ts";
import { listing } from "../../unit/rehearsal/machine/machine-listing.ts";
import { type EngineRun, succeeded } from "../plugins/support/engine.ts";
import { makeKey } from "../plugins/support/ssh-server.ts";
import { planned } from "../windows/nodes-lab.ts";
import { ExistingLab, type MachineName } from "./existing-lab.ts";

const proxy = { https: "http://proxy.example.test:3128" };

/**
 * SSH connections that a machine costs from a fresh one to a node, whose programs are in its image: claimed, asked for
 * its shell, scripts copied and unpacked, then one for each of eight steps. Pulumi's command plugin has one for each of its resources.
 */
const connectionsEach = 12;

/** What a refresh has found changed, by the resource's name. */
const refreshed = (run: EngineRun): Record<string, string> => {
  const outputs = succeeded(run).events.flatMap(
    ({ resOutputsEvent }) => resOutputsEvent?.metadata ?? [],
  );
  return Object.fromEntries(
    outputs
      .filter(({ op }) => !["same", "refresh"].includes(op))
      .map(({ op, urn }) => [urn.slice(urn.lastIndexOf("::") + 2), op]),
  );
};

/**
 * One lab from nothing to nothing: win-1 is dialled from here, win-2 by a bastion, win-3 by two. The command plugin goes
 * by one bastion: what it does on win-3 goes by a port that the program holds, also where that is a delete, which the
 * engine does last.
 */
describe("existing machines in the engine", () => {
  let lab: ExistingLab;
  /** What was on the machines before anything was done on them. */
  const untouched = new Map<MachineName, Record<string, string>>();

  const asItWas = async (name: MachineName): Promise<void> => {
    assert.deepEqual(await listing(lab.machines[name].machine), untouched.get(name));
  };

  before(async () => {
    lab = await ExistingLab.start();
    for (const name of ["win-2", "win-3"] as const) {
      untouched.set(name, await listing(lab.machines[name].machine));
    }
  });
  after(() => lab.dispose());

  it("refuses those with another host key than the pinned one, or called otherwise, and does nothing on them", async () => {
    const pinned = makeKey().publicKey;
    const strangers = [
      lab.member("win-2", { hostKey: pinned }),
      lab.member("win-3", { name: "win-7" }),
    ];
    await lab.program([lab.member("win-1"), ...strangers], { proxy });
    const run = await lab.project.up("--continue-on-error");
    assert.notEqual(run.exitCode, 0);
    assert.match(
      run.text,
      /win-2 \(Administrator@127\.0\.0\.1:\d+ by 127\.0\.0\.1:\d+\) cannot be used/,
    );
    assert.ok(run.text.includes(fingerprint(pinned)), run.text);
    assert.ok(run.text.includes(fingerprint(lab.machines["win-2"].machine.hostKey)));
    assert.match(run.text, /its computer name is win-3: write that as name, or rename it/i);
    await asItWas("win-2");
    await asItWas("win-3");
    // The others are not kept waiting.
    assert.deepEqual(await lab.nodeNames(), ["win-1"]);
    assert.equal(lab.machines["win-1"].machine.boots, 2);
    assert.deepEqual(lab.connections()["win-1"], [connectionsEach]);
    // It is asked for its shell while the scripts are copied.
    assert.equal(lab.machines["win-1"].gate.most, 2);
  });

  it("joins them to the cluster side by side, by bastions to which they have a connection in common", async () => {
    await lab.program([lab.member("win-1"), lab.member("win-2"), lab.member("win-3")], { proxy });
    const run = succeeded(await lab.project.up());
    assert.deepEqual(await lab.nodeNames(), ["win-1", "win-2", "win-3"]);
    assert.ok(!run.text.includes("PRIVATE KEY"));
    const { "win-1": none, "win-2": byOne, "win-3": byTwo } = lab.connections();
    assert.deepEqual([none, byOne.at(-1), byTwo.at(-1)], [[0], connectionsEach, connectionsEach]);
    // The program's own look goes all the way by itself. On a busy host some are dialled once more.
    const [first = 0, second = 0] = byTwo;
    assert.ok(first >= 2 && first * 2 < second, `${first} to the first, ${second} to the second`);
    assert.ok((byOne[0] ?? 0) >= connectionsEach, byOne.join(", "));
    const order = Object.keys(run.steps);
    for (const [one, other] of [
      ["win-2", "win-3"],
      ["win-3", "win-2"],
    ] as const) {
      assert.ok(order.indexOf(`${one}-machine`) < order.indexOf(`${other}-join-node`), one);
    }
  });

  it("are changed where they stand for another label, and a step that is no more is undone at last", async () => {
    const labels = { zone: "b" };
    await lab.program(
      [lab.member("win-1", { labels }), lab.member("win-2"), lab.member("win-3")],
      {},
    );
    lab.connections();
    const run = succeeded(await lab.project.up());
    const deletes = ["set-machineproxy"];
    assert.deepEqual(planned(run, "win-1"), { updates: ["join-node", "registration"], deletes });
    assert.deepEqual(planned(run, "win-2"), { deletes });
    assert.deepEqual(planned(run, "win-3"), { deletes });
    const others = Object.entries(run.steps).filter(([name]) => !name.startsWith("win-"));
    assert.deepEqual([...new Set(others.flatMap(([, done]) => done))], ["same"]);
    const made = Object.values(lab.connections());
    const found = made.map((counts) => counts.at(-1));
    assert.deepEqual(found, [2, 1, 1]);
    assert.ok(
      made.flat().every((count) => count > 0),
      JSON.stringify(made),
    );
    const node = (await lab.nodes()).find(({ metadata }) => metadata.name === "win-1");
    assert.equal(node?.metadata.labels["zone"], "b");
  });

  it("join again when somebody has deleted a Node, and get back a label; a refresh shows both, and nothing else", async () => {
    assert.deepEqual(refreshed(await lab.project.refresh()), {});
    await lab.api.request("DELETE", "/api/v1/nodes/win-2");
    await lab.api.patch("/api/v1/nodes/win-1", { metadata: { labels: { zone: "z" } } });
    const refresh = await lab.project.refresh();
    assert.deepEqual(refreshed(refresh), {
      "win-1-registration": "update",
      "win-2-registration": "update",
      "win-2-token": "update",
    });
    const run = succeeded(await lab.project.up());
    assert.deepEqual(planned(run, "win-1"), { updates: ["registration"] });
    assert.deepEqual(planned(run, "win-2").updates, ["join-node", "ready", "registration"]);
    assert.deepEqual(await lab.nodeNames(), ["win-1", "win-2", "win-3"]);
    const zones = (await lab.nodes()).map(({ metadata }) => metadata.labels["zone"]);
    assert.deepEqual(zones, ["b", undefined, undefined]);
    assert.deepEqual(refreshed(await lab.project.refresh()), {});
  });

  describe("that are taken out", () => {
    it("are no nodes any more, and what they were before; one that does not answer is said to", async () => {
      await lab.machines["win-1"].machine.stop();
      await lab.program([lab.member("win-3")], { proxy });
      const run = await lab.project.up("--continue-on-error");
      assert.notEqual(run.exitCode, 0);
      assert.match(run.text, /win-1 \(.*\) could not be reset: .*KINDOWS_GONE=win-1/);
      assert.deepEqual(await lab.nodeNames(), ["win-3"]);
      await asItWas("win-2");
      for (const copied of ["steps", "media/README.txt"]) {
        assert.equal(
          existsSync(path.join(lab.machines["win-2"].machine.driveC, "kindows", copied)),
          false,
        );
      }
    });

    it("have a step alone undone in a destroy that runs the program", async () => {
      const { urn } = await lab.project.resource("win-3-set-machineproxy");
      const flags = ["--run-program", "--target", urn, "--target-dependents"];
      lab.connections();
      const run = succeeded(await lab.project.destroy(...flags));
      const { deletes = [], ...others } = planned(run, "win-3");
      assert.ok(deletes.includes("set-machineproxy") && !deletes.includes("machine"), run.text);
      assert.deepEqual(others, {});
      const { "win-3": made } = lab.connections();
      assert.ok(
        made.every((count) => count > 0),
        made.join(", "),
      );
    });

    it("leave the cluster as it was without the program, and by one word where one is gone for good", async () => {
      process.env["KINDOWS_GONE"] = "win-1";
      try {
        succeeded(await lab.project.destroy());
      } finally {
        delete process.env["KINDOWS_GONE"];
      }
      assert.deepEqual(await lab.nodeNames(), []);
      await asItWas("win-3");
      const theirs = "/apis/apps/v1/namespaces/kube-system/daemonsets/their-kube-proxy";
      assert.ok(await lab.api.get(theirs));
    });
  });
});
