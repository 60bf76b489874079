import assert from "node:assert/strict";
import { TestLab, tail } from "../e2e/lab.ts";

describe("larger labs", function () {
  this.timeout(30 * 60_000);

  const lab = new TestLab("e2ebig");
  const network = { cidr: "192.168.155.0/24" };

  afterEach(async () => {
    const down = await lab.kindows("down");
    assert.equal(down.exitCode, 0, tail(down.output));
  });
  after(() => lab.forget());

  it("four Windows nodes become Ready in one up", async () => {
    const names = ["win-1", "win-2", "win-3", "win-4"];
    await lab.configure({ network, nodes: names.map((name) => ({ name })) });
    const up = await lab.kindows("up");
    assert.equal(up.exitCode, 0, tail(up.output));
    assert.deepEqual(await lab.readyNodes(), ["kindows-e2ebig-control-plane", ...names]);
  });

  it("three control planes carry a Windows node", async () => {
    await lab.configure({ network, cluster: { controlPlanes: 3 } });
    const up = await lab.kindows("up");
    assert.equal(up.exitCode, 0, tail(up.output));
    const expected = ["", "2", "3"].map((suffix) => `kindows-e2ebig-control-plane${suffix}`);
    assert.deepEqual(await lab.readyNodes(), [...expected, "win-1"]);
  });
});
