import assert from "node:assert/strict";
import { killPoints } from "../e2e/kill-points.ts";
import { bareMachines, TestLab, tail } from "../e2e/lab.ts";
import type { Finished } from "../e2e/lab.ts";

/** Every state a killed `up` can leave, times both ways out of it. Prints the table at the end. */
describe("every killed run is finished by up, or cleaned by down", function () {
  this.timeout(20 * 60_000);

  const lab = new TestLab("e2efull");
  const rows: string[] = [];

  before(async () => {
    await lab.configure({ ...bareMachines, network: { cidr: "192.168.154.0/24" } });
    await lab.kindows("down");
  });
  afterEach(async () => {
    await lab.kindows("down");
  });
  after(async () => {
    await lab.forget();
    console.log(["", "    killed at | way out | seconds | result", ...rows].join("\n    "));
  });

  async function wayOut(
    state: string,
    command: "up" | "down",
    check: () => Promise<void>,
  ): Promise<void> {
    let finished: Finished | undefined;
    let result = "failed";
    try {
      finished = await lab.kindows(command);
      assert.equal(finished.exitCode, 0, tail(finished.output));
      await check();
      result = "ok";
    } finally {
      rows.push(`${state} | ${command} | ${finished?.seconds.toFixed(0) ?? "-"} | ${result}`);
    }
  }

  for (const point of killPoints) {
    it(`${point.state}: down leaves nothing`, async () => {
      await lab.killedUp(point);
      await wayOut(point.state, "down", async () => {
        const doctor = await lab.kindows("doctor");
        assert.equal(doctor.exitCode, 0, tail(doctor.output));
      });
    });

    it(`${point.state}: the next up finishes`, async () => {
      await lab.killedUp(point);
      await wayOut(point.state, "up", async () => {
        assert.deepEqual(await lab.readyNodes(), ["kindows-e2efull-control-plane", "win-1"]);
      });
    });
  }
});
