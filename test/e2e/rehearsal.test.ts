import assert from "node:assert/strict";
import { readFile, readdir, stat } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { waitUntil } from "../../toolchain/wait-until.ts";
import { engineChanges } from "./engine-changes.ts";
import { TestLab, tail } from "./lab.ts";
import type { Finished } from "./lab.ts";
import { leakedSecrets } from "./leaked-secrets.ts";
import { connectLinuxPods } from "./linux-pods.ts";

const network = { cidr: "192.168.152.0/24" };
const oneNode = [{ name: "win-1" }];
const minutes = 60_000;

/** The whole story of a lab, in the order a user lives it; every part goes on where the one before ended. */
describe("a rehearsal lab from nothing to nothing", function () {
  this.timeout(15 * minutes);
  this.bail(true);

  const lab = new TestLab("e2e");
  const controlPlane = "kindows-e2e-control-plane";
  let up: Finished;

  before(async () => {
    await lab.configure({ network, nodes: oneNode });
    await lab.kindows("down");
  });
  after(async () => {
    await lab.kindows("down");
    await lab.forget();
  });

  function succeeded({ exitCode, output }: Finished): void {
    assert.equal(exitCode, 0, tail(output));
  }

  async function kubeProxyPod(): Promise<{ ready: boolean; restartCount: number }> {
    const { items } = (await lab.kubectlJson(
      ...["-n", "kube-system", "get", "pods", "-l", "k8s-app=kube-proxy-windows"],
    )) as {
      items: { status: { containerStatuses?: { ready: boolean; restartCount: number }[] } }[];
    };
    const [status] = items.flatMap((pod) => pod.status.containerStatuses ?? []);
    assert.ok(status, "kube-proxy-windows has no pod");
    return status;
  }

  it("comes up with one command, at its most verbose", async () => {
    up = await lab.kindows("up", "--verbose");
    succeeded(up);
    console.log(`      up took ${up.seconds.toFixed(0)} s`);
    assert.deepEqual(await lab.readyNodes(), [controlPlane, "win-1"]);
  });

  it("shows the Windows node as Kubernetes' own Windows kubelet registered it", async () => {
    const node = (await lab.nodes()).find(({ metadata }) => metadata.name === "win-1");
    assert.equal(node?.metadata.labels?.["kubernetes.io/os"], "windows");
    assert.match(
      node?.metadata.labels?.["node.kubernetes.io/windows-build"] ?? "",
      /^10\.0\.20348$/,
    );
    const info = node?.status?.["nodeInfo"] as Record<string, string>;
    assert.equal(info["kubeletVersion"], "v1.36.4");
    assert.match(info["osImage"] ?? "", /Windows Server 2022/);
  });

  it("has kube-proxy-windows rolled out, 1 of 1", async () => {
    const set = (await lab.kubectlJson(
      "-n",
      "kube-system",
      "get",
      "daemonset",
      "kube-proxy-windows",
    )) as {
      status: { desiredNumberScheduled: number; numberReady: number };
    };
    assert.deepEqual([set.status.numberReady, set.status.desiredNumberScheduled], [1, 1]);
  });

  it("has every pod of kube-system running", async () => {
    const { items } = (await lab.kubectlJson("-n", "kube-system", "get", "pods")) as {
      items: { metadata: { name: string }; status: { phase: string } }[];
    };
    assert.ok(items.length >= 7, `${items.length} pods`);
    for (const pod of items) {
      assert.equal(pod.status.phase, "Running", pod.metadata.name);
    }
  });

  it("leaks no secret into logs, command lines, clear outputs or readable files", async () => {
    assert.deepEqual(await leakedSecrets(lab, [up.output]), []);
  });

  it("previews no change, and none after a refresh", async () => {
    succeeded(await lab.withEnvironment("pulumi preview --expect-no-changes"));
    succeeded(await lab.withEnvironment("pulumi refresh --yes --skip-preview --expect-no-changes"));
    succeeded(await lab.withEnvironment("pulumi preview --expect-no-changes"));
  });

  it("has nothing for doctor to report", async () => {
    succeeded(await lab.kindows("doctor"));
  });

  it("has its Windows node and the pod on it back after the machine lost its power", async () => {
    const before = (await kubeProxyPod()).restartCount;
    await execa("virsh", ["-q", "-c", "qemu:///system", "reset", "kindows-e2e-win-1"]);
    await waitUntil(
      { what: "the pod to run again", timeoutSeconds: 300, pollMilliseconds: 2000 },
      async () => {
        const { ready, restartCount } = await kubeProxyPod();
        return ready && restartCount > before
          ? undefined
          : `ready: ${String(ready)}, ${restartCount} restarts, ${before} before`;
      },
    );
    assert.deepEqual(await lab.readyNodes(), [controlPlane, "win-1"]);
  });

  it("collects the logs of a node, for its owner only", async () => {
    const finished = await lab.kindows("logs", "win-1");
    succeeded(finished);
    const [, folder] = /^logs of win-1: (.+)$/m.exec(finished.output) ?? [];
    assert.ok(folder, tail(finished.output));
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
    const names = await readdir(folder);
    for (const name of ["services.txt", "var_log_kubelet_kubelet.log"]) {
      assert.ok(names.includes(name), names.join(", "));
    }
    const kubelet = await readFile(path.join(folder, "var_log_kubelet_kubelet.log"), "utf8");
    assert.match(kubelet, /Kubelet version/);
  });

  it("takes in a second Windows node and a Linux worker, and touches nothing else", async () => {
    await lab.configure({
      network,
      nodes: [...oneNode, { name: "win-2" }],
      cluster: { workers: [{ name: "worker-1" }] },
    });
    const finished = await lab.kindows("up");
    succeeded(finished);
    const changes = engineChanges(finished.output);
    assert.ok(changes.length > 0);
    for (const { operation, type, name } of changes) {
      assert.equal(operation, "created", `${type} ${name}`);
      assert.match(name, /win-2|worker-1/, type);
    }
    assert.deepEqual(await lab.readyNodes(), [
      controlPlane,
      "kindows-e2e-worker-1",
      "win-1",
      "win-2",
    ]);
  });

  it("carries traffic between pods on the two Linux nodes", async () => {
    await connectLinuxPods(lab, [controlPlane, "kindows-e2e-worker-1"]);
  });

  it("lets them go again, drained and deleted, and touches nothing else", async () => {
    await lab.configure({ network, nodes: oneNode });
    const finished = await lab.kindows("up");
    succeeded(finished);
    const changes = engineChanges(finished.output);
    assert.ok(changes.length > 0);
    for (const { operation, type, name } of changes) {
      assert.equal(operation, "deleted", `${type} ${name}`);
      assert.match(name, /win-2|worker-1/, type);
    }
    assert.deepEqual((await lab.nodes()).map(({ metadata }) => metadata.name).sort(), [
      controlPlane,
      "win-1",
    ]);
  });

  it("goes down and leaves nothing behind", async () => {
    succeeded(await lab.kindows("down"));
    succeeded(await lab.kindows("doctor"));
  });
});
