import assert from "node:assert/strict";
import { killPoints } from "../e2e/kill-points.ts";
import { bareMachines, succeeded, TestLab } from "../e2e/lab.ts";

/** Every state a killed `up` can leave, times both ways out of it. */
describe("every killed run is finished by up, or cleaned by down", () => {
  const lab = new TestLab("e2efull");

  before(async () => {
    await lab.configure({ ...bareMachines, network: { cidr: "192.168.154.0/24" } });
    await lab.kindows("down");
  });
  afterEach(() => lab.kindows("down"));
  after(() => lab.remove());

  for (const point of killPoints) {
    it(`${point.state}: down leaves nothing`, async () => {
      await lab.killedUp(point);
      await succeeded(lab.kindows("down"), "down");
      await succeeded(lab.kindows("doctor"));
    });

    it(`${point.state}: the next up finishes`, async () => {
      await lab.killedUp(point);
      await succeeded(lab.kindows("up"), "up");
      assert.deepEqual(await lab.readyNodes(), [lab.controlPlane, "win-1"]);
    });
  }
});
