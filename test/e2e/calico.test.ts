import assert from "node:assert/strict";

import { calicoCluster } from "./calico-cluster.ts";
import { engineChanges, type LabSettings, succeeded, TestLab } from "./lab.ts";
import { verifiesLinuxPaths } from "./verified.ts";
import { vxlanDevice, type VxlanDevice } from "./vxlan-device.ts";

/** Tigera's operator and Calico themselves on Linux nodes; on the rehearsed Windows node none of its programs runs. */
describe("a rehearsal lab with Calico", function () {
  this.bail(true);

  const lab = new TestLab("e2ecalico");
  const workers = ["worker-1", "worker-2"];
  const linux = ["control-plane", ...workers].map((name) => `${lab.prefix}-${name}`);
  const felix = { felix: { logSeverityScreen: "Warning" } };
  let cluster: LabSettings = {};

  async function configure(nodes: readonly string[], calico: object = {}): Promise<void> {
    await lab.configure({
      ...cluster,
      network: { cidr: "192.168.162.0/24" },
      cni: { kind: "calico", calico },
      nodes: nodes.map((name) => ({ name })),
    });
  }

  async function changes(): Promise<readonly string[]> {
    const { output } = await succeeded(lab.kindows("up"), "up");
    return engineChanges(output)
      .map(({ operation, name }) => `${operation} ${name}`)
      .sort();
  }

  const devices = (): Promise<VxlanDevice[]> => Promise.all(linux.map(vxlanDevice));

  before(async function () {
    cluster = await calicoCluster(this, workers);
    await configure(["win-1"]);
    await lab.kindows("down");
  });
  after(() => lab.remove());

  it("comes up with one command, with Calico's pod on every node", async () => {
    await changes();
    assert.deepEqual(await lab.readyNodes(), [...linux, "win-1"]);
    const { items } = (await lab.kubectlJson("-n", "calico-system", "get", "daemonsets")) as {
      items: { metadata: { name: string }; status: Record<string, number> }[];
    };
    const ready = items.map(({ metadata, status }) => [metadata.name, status["numberReady"]]);
    const onLinux = ["calico-node", "csi-node-driver"].map((name) => [name, linux.length]);
    assert.deepEqual(ready.sort(), [...onLinux, ["calico-node-windows", 1]].sort());
  });

  it("has nothing to do in another up", async () => assert.deepEqual(await changes(), []));

  it("verifies every path between its Linux nodes, policies too, and its packets go through VXLAN", async () => {
    const before = await devices();
    await verifiesLinuxPaths(lab, 1, "calico");
    const through = (await devices()).map(({ received, sent }, index) => ({
      received: received - (before[index]?.received ?? NaN),
      sent: sent - (before[index]?.sent ?? NaN),
    }));
    const text = through.map(({ received, sent }) => `${received} received, ${sent} sent`);
    console.log(`      packets of VXLAN by node: ${text.join("; ")}`);
    assert.ok(
      through.every(({ received, sent }) => received > 0 && sent > 0),
      text.join("; "),
    );
  });

  it("takes settings of Felix in place", async () => {
    await configure(["win-1"], felix);
    assert.deepEqual(await changes(), ["updated calico-configuration"]);
    const { spec } = (await lab.kubectlJson("get", "felixconfigurations", "default")) as {
      spec: { logSeverityScreen?: string };
    };
    assert.equal(spec.logSeverityScreen, "Warning");
  });

  it("has nothing for doctor to report", () => succeeded(lab.kindows("doctor")));

  it("lets its Windows node go", async () => {
    await configure([], felix);
    await changes();
    assert.deepEqual(await lab.readyNodes(), linux);
  });

  it("goes down and leaves nothing behind", async () => {
    await succeeded(lab.kindows("down"));
    await succeeded(lab.kindows("doctor"));
  });
});
