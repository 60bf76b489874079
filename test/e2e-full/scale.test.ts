import assert from "node:assert/strict";
import { succeeded, TestLab } from "../e2e/lab.ts";

describe("larger labs", () => {
  const lab = new TestLab("e2ebig");
  const network = { cidr: "192.168.155.0/24" };

  afterEach(() => succeeded(lab.kindows("down")));
  after(() => lab.remove());

  it("four Windows nodes become Ready in one up", async () => {
    const names = ["win-1", "win-2", "win-3", "win-4"];
    await lab.configure({ network, nodes: names.map((name) => ({ name })) });
    await succeeded(lab.kindows("up"), "up");
    assert.deepEqual(await lab.readyNodes(), [lab.controlPlane, ...names]);
  });

  it("three control planes carry a Windows node", async () => {
    await lab.configure({ network, cluster: { controlPlanes: 3 } });
    await succeeded(lab.kindows("up"), "up");
    const expected = ["", "2", "3"].map((suffix) => `${lab.controlPlane}${suffix}`);
    assert.deepEqual(await lab.readyNodes(), [...expected, "win-1"]);
  });
});
