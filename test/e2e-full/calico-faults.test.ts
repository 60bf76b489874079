import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import { waitUntil } from "../../host/wait-until.ts";
import { calicoCluster } from "../e2e/calico-cluster.ts";
import { isReady } from "../e2e/cluster.ts";
import { engineChanges, type LabSettings, succeeded, tail, TestLab } from "../e2e/lab.ts";
import { verified } from "../e2e/verified.ts";
import { vxlanDevice } from "../e2e/vxlan-device.ts";

interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
  };
}

/** Paths that only Calico's parts together make: other nodes, Services by name, policies. */
const rows = [
  ...["linux-pod-to-linux-pod-other-node", "linux-pod-to-linux-service-name"],
  ...["linux-policy-default-deny", "linux-policy-label"],
].join(",");

/** The real operator and Calico, which change or of which a part goes away under a lab that runs. */
describe("a lab with Calico that changes, or loses a part", function () {
  this.bail(true);

  const lab = new TestLab("e2ecalfault");
  const workers = ["worker-1", "worker-2"];
  const linux = ["control-plane", ...workers].map((name) => `${lab.prefix}-${name}`);

  let cluster: LabSettings = {};

  async function configure(calico: object): Promise<void> {
    const network = { cidr: "192.168.164.0/24" };
    await lab.configure({ ...cluster, network, cni: { kind: "calico", calico }, nodes: [] });
  }

  before(async function () {
    cluster = await calicoCluster(this, workers);
    await configure({});
    await lab.kindows("down");
    await succeeded(lab.kindows("up"), "up");
  });
  after(() => lab.remove());

  async function pods(namespace: string, label: string): Promise<readonly Pod[]> {
    const { items } = (await lab.kubectlJson("-n", namespace, "get", "pods", "-l", label)) as {
      items: readonly Pod[];
    };
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  async function isWhole(): Promise<void> {
    await lab.untilCondition("Available", "tigerastatus", "--all");
    const { exitCode, output } = await verified(lab, "--rows", rows);
    assert.equal(exitCode, 0, tail(output));
    await succeeded(lab.kindows("doctor"));
  }

  it("takes another MTU in place", async () => {
    await configure({ mtu: 1400 });
    const { output } = await succeeded(lab.kindows("up"), "up");
    assert.deepEqual(
      engineChanges(output)
        .map(({ name }) => name)
        .sort(),
      ["calico", "calico-linux"],
    );
    for (const node of linux) assert.equal((await vxlanDevice(node)).mtu, 1400, node);
    await isWhole();
  });

  for (const [namespace, label] of [
    ["calico-system", "k8s-app=calico-typha"],
    ["tigera-operator", "k8s-app=tigera-operator"],
    ["calico-system", "k8s-app=calico-node"],
    ["calico-system", "k8s-app=calico-kube-controllers"],
  ] as const) {
    it(`has another pod of ${label} for one that is deleted, and every path`, async () => {
      const before = await pods(namespace, label);
      const [lost] = before;
      assert.ok(lost, `no pod has ${label}`);
      await lab.kubectl("-n", namespace, "delete", "pod", lost.metadata.name, "--wait=false");
      const what = `as many Ready pods of ${label} as before`;
      await waitUntil({ what, timeoutSeconds: 300, pollMilliseconds: 1000 }, async () => {
        const now = await pods(namespace, label);
        const ready = now.filter((pod) => pod.metadata.uid !== lost.metadata.uid && isReady(pod));
        return ready.length === before.length ? undefined : `${ready.length} of ${before.length}`;
      });
      await isWhole();
    });
  }

  it("has a worker back that was stopped for a minute, and every path", async () => {
    const worker = `${lab.prefix}-worker-2`;
    await execa("docker", ["stop", worker], { timeout: 60_000 });
    await Promise.all([lab.untilNotReady(worker), sleep(60_000)]);
    await execa("docker", ["start", worker], { timeout: 60_000 });
    await lab.untilReady(linux);
    await isWhole();
  });

  it("has nothing to do afterwards", async () => {
    await lab.plansNothing();
    await lab.refreshesNothing();
  });
});
