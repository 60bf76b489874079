import assert from "node:assert/strict";
import { killPoints } from "./kill-points.ts";
import { bareMachines, succeeded, TestLab } from "./lab.ts";

/** One state for each way out; the whole table is killed-runs.test.ts. */
const finishedFrom = "kind half made";
const cleanedFrom = "VM booting";

describe("an up that was killed", () => {
  const lab = new TestLab("e2ekill");
  const point = (state: string) => {
    const found = killPoints.find((each) => each.state === state);
    assert.ok(found, state);
    return found;
  };

  before(() => lab.configure({ ...bareMachines, network: { cidr: "192.168.153.0/24" } }));
  after(() => lab.remove());

  it(`(${cleanedFrom}) is cleaned by down`, async () => {
    await lab.killedUp(point(cleanedFrom));
    await succeeded(lab.kindows("down"));
    await succeeded(lab.kindows("doctor"));
  });

  it(`(${finishedFrom}) is finished by the next up`, async () => {
    await lab.killedUp(point(finishedFrom));
    await succeeded(lab.kindows("up"), "up");
    assert.deepEqual(await lab.readyNodes(), [lab.controlPlane, "win-1"]);
  });
});
