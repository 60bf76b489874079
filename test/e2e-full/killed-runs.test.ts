import assert from "node:assert/strict";
import { calicoCluster } from "../e2e/calico-cluster.ts";
import { calicoKillPoints, type KillPoint, killPoints } from "../e2e/kill-points.ts";
import { bareMachines, type LabSettings, succeeded, TestLab } from "../e2e/lab.ts";

/**
 * Every state a killed `up` can leave, times both ways out of it.
 *
 * @param nodes that are Ready in the end, without the lab's own control plane.
 */
function describeKilledRuns(
  title: string,
  lab: TestLab,
  settings: (hook: Mocha.Context) => LabSettings | Promise<LabSettings>,
  points: readonly KillPoint[],
  nodes: readonly string[],
): void {
  describe(title, () => {
    before(async function () {
      await lab.configure(await settings(this));
      await lab.kindows("down");
    });
    afterEach(() => lab.kindows("down"));
    after(() => lab.remove());

    for (const point of points) {
      it(`${point.state}: down leaves nothing`, async () => {
        await lab.killedUp(point);
        await succeeded(lab.kindows("down"), "down");
        await succeeded(lab.kindows("doctor"));
      });

      it(`${point.state}: the next up finishes`, async () => {
        await lab.killedUp(point);
        await succeeded(lab.kindows("up"), "up");
        assert.deepEqual(await lab.readyNodes(), [lab.controlPlane, ...nodes]);
      });
    }
  });
}

const lab = new TestLab("e2efull");
describeKilledRuns(
  "every killed run is finished by up, or cleaned by down",
  lab,
  () => ({ ...bareMachines, network: { cidr: "192.168.154.0/24" } }),
  killPoints,
  ["win-1"],
);

const calicoLab = new TestLab("e2ecalkill");
describeKilledRuns(
  "with Calico, every killed run is finished by up, or cleaned by down",
  calicoLab,
  async (hook) => ({
    ...(await calicoCluster(hook, ["worker-1"])),
    network: { cidr: "192.168.163.0/24" },
    cni: { kind: "calico" },
    nodes: [],
  }),
  calicoKillPoints,
  [`${calicoLab.prefix}-worker-1`],
);
