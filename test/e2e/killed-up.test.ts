import assert from "node:assert/strict";
import { killPoints } from "./kill-points.ts";
import { bareMachines, TestLab, tail } from "./lab.ts";

/** One state for each way out; the whole table is killed-runs.test.ts. */
const finishedFrom = "kind half made";
const cleanedFrom = "VM booting";

describe("an up that was killed", function () {
  this.timeout(15 * 60_000);

  const lab = new TestLab("e2ekill");
  const point = (state: string) => {
    const found = killPoints.find((each) => each.state === state);
    assert.ok(found, state);
    return found;
  };

  before(async () => {
    await lab.configure({ ...bareMachines, network: { cidr: "192.168.153.0/24" } });
  });
  after(async () => {
    await lab.kindows("down");
    await lab.forget();
  });

  it(`(${cleanedFrom}) is cleaned by down`, async () => {
    await lab.killedUp(point(cleanedFrom));
    const down = await lab.kindows("down");
    assert.equal(down.exitCode, 0, tail(down.output));
    const doctor = await lab.kindows("doctor");
    assert.equal(doctor.exitCode, 0, tail(doctor.output));
  });

  it(`(${finishedFrom}) is finished by the next up`, async () => {
    await lab.killedUp(point(finishedFrom));
    const up = await lab.kindows("up");
    assert.equal(up.exitCode, 0, tail(up.output));
    assert.deepEqual(await lab.readyNodes(), ["kindows-e2ekill-control-plane", "win-1"]);
  });
});
