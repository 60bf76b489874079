import assert from "node:assert/strict";
import { ManyMachines, type Cost } from "./many-machines.ts";

/** How many machines the stack has, run by run, and how many things each run may do side by side. */
const runs = [
  { machines: 2, parallel: 16 },
  { machines: 5, parallel: 3 },
  { machines: 10, parallel: 8 },
  { machines: 20, parallel: 16 },
] as const;

/**
 * SSH connections that a machine costs from a fresh one to a node, whose programs are in its image: claimed, scripts
 * copied and unpacked, then one for each of seven steps. Pulumi's command plugin has one for each of its resources.
 */
const connectionsEach = 10;

describe("twenty existing machines in the engine", function () {
  this.timeout(900_000);
  const largest = Math.max(...runs.map(({ machines }) => machines));
  const costs: Cost[] = [];
  let lab: ManyMachines;

  before(async () => {
    lab = await ManyMachines.start(largest);
  });
  after(async () => {
    // For whoever reads the log; nothing is asserted of time, which depends on what else this host does.
    costs.forEach(({ connections, most, seconds, cpuSeconds }, index) => {
      const { machines = 0, parallel = 0 } = runs[index] ?? {};
      const each = cpuSeconds / (machines - (runs[index - 1]?.machines ?? 0));
      process.stdout.write(
        `    ${machines} machines: ${connections} connections, at most ${most} of ${parallel} at once, ` +
          `${seconds.toFixed(0)} s, ${each.toFixed(1)} s of processor for each new one\n`,
      );
    });
    await lab.dispose();
  });

  runs.forEach(({ machines, parallel }, index) => {
    const before = runs[index - 1]?.machines ?? 0;
    const added = machines - before;

    it(`${machines} machines: those of them that are new are connected to, each as often as any`, async () => {
      const cost = await lab.up(machines, parallel);
      costs.push(cost);
      assert.equal(cost.run.exitCode, 0, cost.run.text);
      assert.equal(cost.connections, added * connectionsEach);
      assert.ok(
        cost.most <= parallel,
        `${cost.most} connections at once with --parallel ${parallel}`,
      );
      const { items } = (await lab.api.get<{ items: object[] }>("/api/v1/nodes")) ?? { items: [] };
      assert.equal(items.length, machines);
    });
  });

  it("no machine is connected to where nothing is to be done", async () => {
    const { run, connections } = await lab.up(largest, 16);
    assert.equal(run.exitCode, 0, run.text);
    assert.equal(connections, 0);
  });

  it("several are connected to at once", () => {
    assert.ok(
      costs.some(({ most }) => most > 1),
      "one after the other, which bounds nothing",
    );
  });
});
