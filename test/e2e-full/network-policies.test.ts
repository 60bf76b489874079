import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import {
  failedTests,
  makeResultsFolder,
  readResults,
  totals,
} from "../../verify/conformance/results.ts";
import { runLocal } from "../../verify/conformance/run-local.ts";
import { ensureArtifacts } from "../../toolchain/ensure.ts";
import { calicoCluster } from "../e2e/calico-cluster.ts";
import { succeeded, TestLab } from "../e2e/lab.ts";
import { policyTests } from "./network-policies/programs.ts";

/** Everything but SCTP, for which not every host's kernel has a module. */
const suite = {
  id: "network-policies",
  what: "Kubernetes' own tests of NetworkPolicies",
  focus: "\\[Feature:NetworkPolicy\\]",
  skip: "\\[Feature:SCTPConnectivity\\]",
  os: "linux",
  parallel: 2,
  timeoutSeconds: 3 * 3600,
} as const;

/** Tests with `[Feature:NetworkPolicy]` in Kubernetes 1.36.4, without those of SCTP. */
const leastTests = 40;

describe("Kubernetes' own tests of NetworkPolicies, with Calico", function () {
  this.timeout(4 * 3600 * 1000);

  const lab = new TestLab("e2ecalpolicy");

  before(async function () {
    const cluster = await calicoCluster(this, ["worker-1"]);
    const network = { cidr: "192.168.166.0/24" };
    await lab.configure({ ...cluster, network, cni: { kind: "calico" }, nodes: [] });
    await lab.kindows("down");
    await succeeded(lab.kindows("up"), "up");
  });
  after(() => lab.remove());

  it("pass", async () => {
    const programs = (await ensureArtifacts([policyTests])).path(policyTests);
    const folder = path.join(lab.logFolder, suite.id);
    await rm(folder, { recursive: true, force: true });
    await makeResultsFolder(folder);
    const { timeoutSeconds } = suite;
    const exitCode = await runLocal({
      run: { suite, kubernetesVersion: "1.36.4", windowsNodes: 0, timeoutSeconds },
      programs,
      kubeconfig: lab.kubeconfig,
      repositoryFile: undefined,
      folder,
      signal: new AbortController().signal,
    });
    const results = await readResults(folder);
    const { tests, failures, errors, skipped } = totals(results);
    const passed = tests - failures - errors - skipped;
    console.log(`      ${passed} passed`);
    assert.deepEqual(failedTests(results, tests), []);
    assert.equal(exitCode, 0);
    assert.ok(passed >= leastTests, `${passed} passed`);
  });
});
