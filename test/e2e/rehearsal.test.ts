import assert from "node:assert/strict";
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { execa } from "execa";
import { parse, stringify } from "yaml";
import { readStateFile } from "../../cli/engine/state-file.ts";
import { bakedNodeSteps } from "../../components/windows/image/bake.ts";
import { waitUntil } from "../../host/wait-until.ts";
import { engineChanges, type Change } from "./engine-changes.ts";
import { Cluster } from "./cluster.ts";
import { succeeded, TestLab, tail, virsh, type Finished } from "./lab.ts";
import { killPoint } from "./kill-points.ts";
import { leakedSecrets } from "./leaked-secrets.ts";
import { stepResultsOf } from "./step-results.ts";
import { verifiesByKubeconfig, verifiesLinuxPaths } from "./verified.ts";

const network = { cidr: "192.168.152.0/24" };
const oneNode = [{ name: "win-1" }];

interface Config {
  readonly "current-context": string;
}

/** All that changes is win-2's and worker-1's, but for win-1's routes: pods of a Linux node are reached by way of it. */
function assertOnlyOfNewcomers(changes: readonly Change[], done: Change["operation"]): void {
  const routes = ["node-routes", "win-1-set-clusterroute"];
  const [others, theirs] = [
    changes.filter(({ name }) => routes.includes(name)),
    changes.filter(({ name }) => !routes.includes(name)),
  ];
  const found = others.map(({ operation, name }) => `${operation} ${name}`);
  assert.deepEqual(
    found,
    routes.map((name) => `updated ${name}`),
  );
  assert.ok(theirs.length > 0);
  for (const { operation, type, name } of theirs) {
    assert.equal(operation, done, `${type} ${name}`);
    assert.match(name, /win-2|worker-1/, type);
  }
}

/** The whole story of a lab, in the order a user lives it; every part goes on where the one before ended. */
describe("a rehearsal lab from nothing to nothing", function () {
  this.bail(true);

  const lab = new TestLab("e2e");
  const { controlPlane } = lab;
  let up: Finished;

  before(async () => {
    await lab.configure({ network, nodes: oneNode });
    await lab.kindows("down");
  });
  after(() => lab.remove());

  async function kubeProxyPod(): Promise<{ ready: boolean; containerID?: string }> {
    const { items } = (await lab.kubectlJson(
      ...["-n", "kube-system", "get", "pods", "-l", "k8s-app=kube-proxy-windows"],
    )) as {
      items: { status: { containerStatuses?: { ready: boolean; containerID?: string }[] } }[];
    };
    const [status] = items.flatMap((pod) => pod.status.containerStatuses ?? []);
    assert.ok(status, "kube-proxy-windows has no pod");
    return status;
  }

  /** Name, uid and containers of each pod on the Windows node, in the order of their names. */
  async function podsOnNode(): Promise<readonly unknown[]> {
    const { items } = (await lab.kubectlJson(
      ...["get", "pods", "--all-namespaces", "--field-selector", "spec.nodeName=win-1"],
    )) as {
      items: {
        metadata: { name: string; uid: string };
        status: { containerStatuses?: { containerID?: string; restartCount: number }[] };
      }[];
    };
    return items
      .map(({ metadata: { name, uid }, status }) => ({
        name,
        uid,
        containers: (status.containerStatuses ?? []).map((each) => [
          each.containerID,
          each.restartCount,
        ]),
      }))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** When kubelet renewed the Windows node's lease last. */
  const leaseRenewed = async (): Promise<string> =>
    (await lab.leaseRenewals()).get("win-1") ?? "never";

  it("is gone after down when its up was killed while the machine booted", async () => {
    await lab.killedUp(killPoint("VM booting"));
    await succeeded(lab.kindows("down"));
    await succeeded(lab.kindows("doctor"));
  });

  it("comes up with one command, at its most verbose, after one that was killed with kind half made", async () => {
    await lab.killedUp(killPoint("kind half made"));
    up = await succeeded(lab.kindows("up", "--verbose"), "up");
    assert.deepEqual(await lab.readyNodes(), [controlPlane, "win-1"]);
  });

  it("found in the node's image what every node needs", async () => {
    const state = await readStateFile(lab.stack);
    const results = stepResultsOf("win-1", state ?? assert.fail("there is no state"));
    const found = bakedNodeSteps.map(({ name }) => [name, results.get(name)?.changed]);
    assert.deepEqual(
      found,
      bakedNodeSteps.map(({ name }) => [name, false]),
    );
    assert.equal(results.get("Join-Node")?.changed, true);
  });

  it("shows the Windows node as Kubernetes' own Windows kubelet registered it", async () => {
    const node = await lab.node("win-1");
    assert.equal(node?.metadata.labels?.["kubernetes.io/os"], "windows");
    assert.equal(node?.metadata.labels?.["node.kubernetes.io/windows-build"], "10.0.20348");
    const info = node?.status?.["nodeInfo"] as Record<string, string>;
    assert.equal(info["kubeletVersion"], "v1.36.4");
    assert.match(info["osImage"] ?? "", /Windows Server 2022/);
  });

  it("has every pod of kube-system running", async () => {
    // CoreDNS' pods are started when a Linux node is Ready, which nothing of `up` waits for.
    const what = "every pod of kube-system to be running";
    await waitUntil({ what, timeoutSeconds: 300, pollMilliseconds: 1000 }, async () => {
      const { items } = (await lab.kubectlJson("-n", "kube-system", "get", "pods")) as {
        items: { metadata: { name: string }; status: { phase: string } }[];
      };
      assert.ok(items.length >= 7, `${items.length} pods`);
      const waiting = items.filter(({ status }) => status.phase !== "Running");
      return waiting.length === 0
        ? undefined
        : waiting.map(({ metadata, status }) => `${metadata.name}: ${status.phase}`).join(", ");
    });
  });

  it("leaks no secret into logs, command lines, clear outputs or readable files", async () =>
    assert.deepEqual(await leakedSecrets(lab, [up.output]), []));

  it("previews no change, and none after a refresh, by its own command, too", async () => {
    await lab.plansNothing();
    await lab.refreshesNothing();
    const { output } = await succeeded(lab.kindows("preview"));
    assert.doesNotMatch(output, /^\s*[+~-] /m, output);
  });

  it("tells by status that all is well, and how to reach it", async () => {
    const reported = await succeeded(lab.kindows("status"));
    for (const name of [controlPlane, "win-1"]) {
      assert.match(reported.output, new RegExp(`^${name} +(linux|windows) +yes `, "m"));
    }
    const { stdout } = await execa("./kindows", ["--stack", lab.stack, "status", "--json"]);
    const { healthy, machinesOfStack } = JSON.parse(stdout) as {
      healthy: boolean;
      machinesOfStack: { name: string; address: string }[];
    };
    assert.deepEqual([healthy, machinesOfStack.map(({ name }) => name)], [true, ["win-1"]]);
  });

  it("comes into the user's kubeconfig and goes out of it, and leaves what was there", async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "kindows-e2e-home-"));
    const file = path.join(folder, "config");
    const before = stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "other",
      clusters: [{ name: "other", cluster: { server: "https://192.0.2.1:6443" } }],
      contexts: [{ name: "other", context: { cluster: "other", user: "other" } }],
      users: [{ name: "other", user: { token: "none" } }],
    });
    await writeFile(file, before, { mode: 0o600 });
    const withFile = (...args: string[]): Promise<Finished> =>
      lab.withEnvironment(
        `KUBECONFIG=${file} ./kindows --stack ${lab.stack} kubeconfig ${args.join(" ")}`,
      );
    try {
      await succeeded(withFile("--merge"));
      const nodes = ["--context", "kindows-e2e", "get", "nodes", "-o", "name"];
      const named = await new Cluster(file).kubectl(...nodes);
      assert.deepEqual(named.split("\n").sort(), [`node/${controlPlane}`, "node/win-1"]);
      assert.equal((parse(await readFile(file, "utf8")) as Config)["current-context"], "other");
      await succeeded(withFile("--remove"));
      assert.deepEqual(parse(await readFile(file, "utf8")), parse(before));
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("runs a command on the Windows machine, and ends with its exit code", async () => {
    const named = await succeeded(lab.kindows("ssh", "win-1", "--", "hostname"));
    assert.match(named.output, /^win-1\r?$/m);
    assert.equal((await lab.kindows("ssh", "win-1", "--", "exit", "7")).exitCode, 7);
    const unknown = await lab.kindows("ssh", "win-9");
    assert.match(unknown.output, /has no machine "win-9"; it has win-1/);
  });

  it("has nothing for doctor to report", () => succeeded(lab.kindows("doctor")));

  it("keeps its Windows node and the pods on it when kubelet alone is restarted", async () => {
    const pods = await podsOnNode();
    assert.ok(pods.length > 0, "there are no pods on win-1");
    assert.match(await lab.onMachine("win-1", "net stop kubelet"), /was stopped successfully/);
    assert.match(await lab.onMachine("win-1", "systeminfo"), /\bkubelet Stopped\b/);
    // Nobody renews it now: whatever does so later is the kubelet that is started here.
    const before = await leaseRenewed();
    assert.match(await lab.onMachine("win-1", "net start kubelet"), /was started successfully/);
    await waitUntil(
      { what: "win-1 to renew its lease", timeoutSeconds: 300, pollMilliseconds: 2000 },
      async () => {
        const now = await leaseRenewed();
        return now === before ? `renewed last at ${now}` : undefined;
      },
    );
    await lab.untilReady([controlPlane, "win-1"]);
    // The same pods with the same containers, none of them started once more.
    assert.deepEqual(await podsOnNode(), pods);
  });

  it("has its Windows node and the pod on it back after the machine lost its power", async () => {
    const before = (await kubeProxyPod()).containerID;
    assert.ok(before, "the pod's container has no id");
    await virsh("reset", "kindows-e2e-win-1");
    // Not the number of restarts: what was written last may be lost with the power, and the count starts over then.
    await waitUntil(
      { what: "the pod to run again", timeoutSeconds: 300, pollMilliseconds: 2000 },
      async () => {
        const { ready, containerID } = await kubeProxyPod();
        return ready && containerID !== undefined && containerID !== before
          ? undefined
          : `ready: ${String(ready)}, container ${String(containerID)}, ${before} before`;
      },
    );
    assert.deepEqual(await lab.readyNodes(), [controlPlane, "win-1"]);
  });

  it("collects the logs of a node, for its owner only", async () => {
    const finished = await succeeded(lab.kindows("logs", "win-1"));
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
    const { output } = await succeeded(lab.kindows("up"), "up");
    assertOnlyOfNewcomers(engineChanges(output), "created");
    assert.deepEqual(await lab.readyNodes(), [
      controlPlane,
      "kindows-e2e-worker-1",
      "win-1",
      "win-2",
    ]);
  });

  it("verifies every path between its Linux nodes, and passes nothing that would need Windows", () =>
    verifiesLinuxPaths(lab));

  it("verifies a cluster that is known by its kubeconfig alone", () => verifiesByKubeconfig(lab));

  it("lets them go again, drained and deleted, and touches nothing else", async () => {
    await lab.configure({ network, nodes: oneNode });
    const { output } = await succeeded(lab.kindows("up"), "up");
    assertOnlyOfNewcomers(engineChanges(output), "deleted");
    const found = (await lab.nodes()).map(({ metadata }) => metadata.name).sort();
    assert.deepEqual(found, [controlPlane, "win-1"]);
  });

  it("goes down and leaves nothing behind", async () => {
    await succeeded(lab.kindows("down"));
    await succeeded(lab.kindows("doctor"));
  });
});
