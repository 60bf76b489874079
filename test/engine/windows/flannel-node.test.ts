import assert from "node:assert/strict";
import type { RehearsalHost } from "../../../rehearsal/host/in-process.ts";
import type { EngineProject } from "../plugins/support/engine.ts";
import { NodeLab, touched } from "./node-lab.ts";

describe("WindowsNode in the engine, with Flannel", function () {
  this.timeout(180_000);
  let lab: NodeLab;
  let host: RehearsalHost;
  let project: EngineProject;

  before(async () => {
    lab = await NodeLab.start();
    ({ host, project } = lab);
  });
  after(() => lab.dispose());

  it("joins, then has its network made, with the connection cut in between", async () => {
    const run = await lab.up({ flannel: "vxlan" });
    const created = touched(run, "create");
    const place = (step: string): number => created.indexOf(`win-1-${step}`);
    const order = [
      ...["install-kubernetes", "install-flannel", "join-node"],
      ...["add-externalnetwork", "confirm-externalnetwork", "ready"],
    ].map(place);
    assert.ok(!order.includes(-1), created.join(", "));
    assert.deepEqual(
      order,
      order.toSorted((one, other) => one - other),
    );
    const { settings, services, drive } = host.windows;
    assert.deepEqual(settings.networks(), ["flannel.4096"]);
    assert.equal(await services.isRunning("flanneld"), true);
    const conf = await drive.readText("C:\\etc\\cni\\net.d\\10-flannel.conflist");
    assert.match(conf ?? "", /"type": "win-overlay"/);
  });

  it("shows nothing to do afterwards", async () => {
    const run = await project.preview();
    assert.equal(run.exitCode, 0, run.text);
    for (const operation of ["create", "update", "replace", "delete"]) {
      assert.deepEqual(touched(run, operation), [], operation);
    }
  });

  it("leaves nothing of it on a machine whose node is taken away", async () => {
    await lab.up({ node: false });
    const { settings, services } = host.windows;
    assert.deepEqual(settings.networks(), []);
    assert.equal(services.get("flanneld"), undefined);
  });
});
