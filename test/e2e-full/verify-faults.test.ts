import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { execa } from "execa";
import { agnhostImage } from "../../images/node/container-images.ts";
import { ClusterApi } from "../../host/kubernetes/cluster-api.ts";
import { ensureArtifacts } from "../../toolchain/ensure.ts";
import { builtTool } from "../../toolchain/built.ts";
import { projectRoot } from "../../toolchain/project.ts";
import { waitUntil } from "../../host/wait-until.ts";
import { readNodes } from "../../verify/cluster/snapshot.ts";
import { makeWorkloads, tryRows } from "../../verify/verify.ts";
import { policyRows } from "../../verify/rows/policies.ts";
import { removeNamespace } from "../../verify/run/own-namespace.ts";
import { selectRows } from "../../verify/rows/select.ts";
import { inContainer, succeeded, TestLab, tail } from "../e2e/lab.ts";
import { linuxRows, namedRows, verified, type VerifiedRow } from "../e2e/verified.ts";
import { enforcer, enforcerObjects, enforcerProgram } from "./modules/kube-network-policies.ts";

type Row = Omit<VerifiedRow, "seen">;

/** A real cluster, something wrong with it, and what verify makes of that: the right rows, the right reason, no others. */
describe("verify, where something is wrong", () => {
  const lab = new TestLab("e2efaults");
  const worker = `${lab.prefix}-worker-1`;
  const ours = ["-n", "kindows-verify"];
  /** Those whose outcome does not hang on another thing of the node's. */
  const tried = linuxRows.filter((id) => id !== "linux-pod-to-host" && id !== "linux-metrics");

  before(async () => {
    await lab.configure({
      network: { cidr: "192.168.156.0/24" },
      cluster: { workers: [{ name: "worker-1" }] },
    });
    await succeeded(lab.kindows("up"), "up");
  });
  after(() => lab.remove());

  /** Runs the rows with something planted between the making of the pods and the trying. */
  async function withPlanted(
    plant: () => Promise<void>,
    ids: readonly string[] = tried,
  ): Promise<readonly Row[]> {
    const { kubeconfig } = lab;
    const api = new ClusterApi(await readFile(kubeconfig, "utf8"));
    const options = {
      api,
      kubectl: builtTool("kubectl"),
      kubeconfig,
      facts: { nodes: await readNodes(api), rehearsal: true },
      rows: selectRows(ids),
      image: agnhostImage,
      timeoutSeconds: 20,
      signal: new AbortController().signal,
      say: () => undefined,
    };
    try {
      await makeWorkloads(options);
      await lab.kubectl(...ours, "rollout", "status", "daemonset", "linux-server");
      await plant();
      const results = await tryRows(options);
      return results.map(({ row, status, reason }) => ({ id: row.id, status, reason }));
    } finally {
      await removeNamespace(options.api, options.say);
    }
  }

  function failed(rows: readonly Row[], reason: RegExp): readonly string[] {
    const those = rows.filter(({ status }) => status === "failed");
    for (const { id, reason: reported } of those) assert.match(reported, reason, id);
    return those.map(({ id }) => id);
  }

  it("fails what goes by a Service whose selector fits nothing", async () => {
    const results = await withPlanted(async () => {
      const patch = JSON.stringify({ spec: { selector: { "kindows.dev/verify": "nobody" } } });
      await lab.kubectl(...ours, "patch", "service", "linux", "-p", patch);
    });
    assert.deepEqual(
      failed(results, /^the Service linux has no endpoints: no pod has its labels/),
      [
        "linux-pod-to-linux-service",
        "linux-pod-to-linux-service-name",
        "linux-pod-to-linux-node-port",
        "linux-node-to-linux-service",
        "outside-to-linux-service-linux-node",
      ],
    );
  });

  const underPolicies = ["linux-policy-*"];

  it("fails what NetworkPolicies deny where nothing enforces them", async () => {
    const results = await withPlanted(() => Promise.resolve(), underPolicies);
    assert.deepEqual(
      failed(results, /^the NetworkPolicy linux-[a-z-]+ is not enforced: it denies/),
      ["default-deny", "other-label", "other-namespace", "other-egress"].map(
        (name) => `linux-policy-${name}`,
      ),
    );
  });

  it("passes every row about NetworkPolicies with kind's own enforcement of them", async () => {
    const program = (await ensureArtifacts([enforcerProgram])).path(enforcerProgram);
    const folder = "/opt/policies";
    for (const node of [lab.controlPlane, worker]) {
      await execa("docker", ["cp", program, `${node}:${folder}`], { timeout: 60_000 });
    }
    const objects = enforcerObjects(folder);
    await lab.kubectlApply(objects);
    try {
      const rollout = ["rollout", "status", "daemonset", enforcer, "--timeout", "100s"];
      await lab.kubectl("-n", "kube-system", ...rollout);
      const results = await withPlanted(() => Promise.resolve(), underPolicies);
      assert.deepEqual(failed(results, /none/), []);
      assert.equal(results.length, policyRows.length / 2);
    } finally {
      await lab.kubectl("-n", "kube-system", "delete", "daemonset", enforcer);
    }
  });

  it("fails what leads to pods that a NetworkPolicy closes", async () => {
    let rule: readonly string[] = [];
    const results = await withPlanted(async () => {
      // The network of the node image that is built here enforces none: the node drops what the policy would have dropped.
      await lab.kubectlApply(`
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: closed, namespace: kindows-verify }
spec:
  podSelector: { matchLabels: { kindows.dev/verify: linux-host-port } }
  policyTypes: [Ingress]
`);
      const address = await lab.kubectl(
        ...[...ours, "get", "pods", "-l", "kindows.dev/verify=linux-host-port"],
        ...["--field-selector", `spec.nodeName=${worker}`],
        ...["-o", "jsonpath={.items[0].status.podIP}"],
      );
      rule = ["FORWARD", "-d", address, "-j", "DROP"];
      await inContainer(worker, "iptables", "-w", "5", "-I", ...rule);
    });
    await inContainer(worker, "iptables", "-w", "5", "-D", ...rule);
    assert.deepEqual(
      failed(results, /^the NetworkPolicy closed limits traffic to linux-host-port/),
      ["linux-pod-to-linux-host-port", "outside-to-linux-host-port"],
    );
  });

  it("fails what goes by a name where DNS answers nobody", async () => {
    const scale = ["-n", "kube-system", "scale", "deployment", "coredns"];
    await lab.kubectl(...scale, "--replicas=0");
    try {
      const results = await withPlanted(() => Promise.resolve());
      assert.deepEqual(
        failed(results, /is not resolved: cluster DNS .* no ready endpoint/),
        namedRows,
      );
    } finally {
      await lab.kubectl(...scale, "--replicas=2");
    }
  });

  it("fails every row whose image cannot be pulled, and says which", async () => {
    const image = "registry.k8s.io/e2e-test-images/no-such-image:1";
    const rows = "linux-pod-to-host,outside-to-linux-*,windows-pod-to-host";
    const run = await verified(lab, "--image", image, "--timeout", "20", "--rows", rows);
    assert.equal(run.exitCode, 1, tail(run.output));
    const reason =
      /the image registry\.k8s\.io\/e2e-test-images\/no-such-image:1 cannot be pulled on /;
    assert.deepEqual(failed(run.rows, reason), [
      "linux-pod-to-host",
      "outside-to-linux-service-linux-node",
      "outside-to-linux-host-port",
    ]);
  });

  it("fails rows through a node that is not Ready, names it, and still cleans up", async () => {
    await inContainer(worker, "systemctl", "stop", "kubelet");
    try {
      await lab.untilNotReady(worker);
      const rows = "linux-pod-to-linux-pod-other-node,linux-pod-to-linux-service,windows-settings";
      const run = await verified(lab, "--timeout", "20", "--rows", rows);
      assert.equal(run.exitCode, 1, tail(run.output));
      assert.deepEqual(failed(run.rows, new RegExp(`^the node ${worker} is not Ready: `)), [
        "linux-pod-to-linux-pod-other-node",
        "linux-pod-to-linux-service",
      ]);
      assert.doesNotMatch(await lab.kubectl("get", "namespaces"), /kindows-verify/);
    } finally {
      await inContainer(worker, "systemctl", "start", "kubelet");
    }
    await lab.untilCondition("Ready", `node/${worker}`);
  });

  it("removes what it made when it is interrupted, and says how it ended", async () => {
    // Pods that never come: there is something to interrupt.
    const args = ["verify", "--rows", "linux-pod-to-host", "--image", "none.invalid/none:1"];
    const run = execa(path.join(projectRoot, "kindows"), ["--stack", lab.stack, ...args], {
      cwd: projectRoot,
      reject: false,
      all: true,
    });
    await waitUntil(
      { what: "a pod of verify's", timeoutSeconds: 60, pollMilliseconds: 500 },
      async () => {
        const pods = await lab.kubectl(...ours, "get", "pods", "-o", "name");
        return pods === "" ? "none" : undefined;
      },
    );
    run.kill("SIGINT");
    const { exitCode, all } = await run;
    assert.equal(exitCode, 130, tail(all));
    assert.match(all, /interrupted: removing the namespace kindows-verify/);
    assert.doesNotMatch(await lab.kubectl("get", "namespaces"), /kindows-verify/);
  });
});
