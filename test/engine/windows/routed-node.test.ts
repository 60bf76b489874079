import assert from "node:assert/strict";
import { routeText } from "../../../rehearsal/host/routes.ts";
import { NodeLab, touched } from "./node-lab.ts";

describe("WindowsNode in the engine, with routes to the cluster's ranges", function () {
  this.timeout(180_000);
  let lab: NodeLab;

  before(async () => {
    lab = await NodeLab.start();
  });
  after(() => lab.dispose());

  const step = "win-1-set-clusterroute";
  const routes = (): string[] => lab.host.windows.settings.routes.map(routeText);

  it("gets them when it has joined", async () => {
    const created = touched(await lab.up({ nextHop: "192.168.150.128" }), "create");
    const order = ["win-1-join-node", step, "win-1-ready"].map((name) => created.indexOf(name));
    assert.ok(!order.includes(-1), created.join(", "));
    assert.deepEqual(
      order,
      order.toSorted((one, other) => one - other),
    );
    assert.deepEqual(routes(), ["10.244.0.0/16=192.168.150.128", "10.96.0.0/16=192.168.150.128"]);
  });

  it("follows a control plane to another address, and does nothing else", async () => {
    const run = await lab.up({ nextHop: "192.168.150.129" });
    assert.deepEqual(touched(run, "update"), [step]);
    assert.deepEqual(routes(), ["10.244.0.0/16=192.168.150.129", "10.96.0.0/16=192.168.150.129"]);
  });

  it("loses them when they are not asked for any more", async () => {
    const run = await lab.up({});
    assert.deepEqual(touched(run, "delete"), [step]);
    assert.deepEqual(routes(), []);
  });

  it("leaves none on a machine whose node is taken away", async () => {
    await lab.up({ nextHop: "192.168.150.128" });
    assert.equal(routes().length, 2);
    await lab.up({ node: false });
    assert.deepEqual(routes(), []);
  });
});
