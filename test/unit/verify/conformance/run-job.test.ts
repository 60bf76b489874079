import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { conformanceObjects } from "../../../../verify/conformance/objects.ts";
import { makeResultsFolder, readResults } from "../../../../verify/conformance/results-folder.ts";
import { logName, runJob, type JobRun } from "../../../../verify/conformance/run-job.ts";
import { checkPrograms, runLocal } from "../../../../verify/conformance/run-local.ts";
import { suiteNamed } from "../../../../verify/conformance/suites.ts";
import { runKindows } from "../../cli/run-kindows.ts";
import { withFakeApi } from "../../controlplane/fake-api.ts";
import { newFolder } from "../../new-folder.ts";
import { waitBy, withoutPauses } from "../../waits.ts";

const suite = suiteNamed("sig-windows");
const run = { suite, kubernetesVersion: "1.36.4", windowsNodes: 1, timeoutSeconds: 60 };
const objects = conformanceObjects(run, { tests: "t", results: "r" }, undefined);
const namespace = "GET /api/v1/namespaces/kindows-conformance";

const pod = (state: object): object => ({
  metadata: { name: "kindows-conformance-x" },
  status: { phase: "Running", containerStatuses: [{ name: "tests", state }] },
});

describe("a run of conformance", () => {
  let folder: string;
  let results: string;
  const executable = async (name: string, lines: readonly string[]): Promise<string> => {
    const file = path.join(folder, name);
    await writeFile(file, ["#!/bin/sh", ...lines, ""].join("\n"), { mode: 0o755 });
    return file;
  };

  beforeEach(async () => {
    folder = newFolder();
    results = path.join(folder, "results");
    await mkdir(results);
  });
  before(withoutPauses);
  after(() => waitBy());

  /** kubectl that takes what it is given, and has a log and a file of results. */
  const kubectl = async (): Promise<string> => {
    const made = path.join(folder, "pod");
    await mkdir(made);
    await writeFile(path.join(made, "junit_01.xml"), "<testsuite/>");
    return executable("kubectl", [
      `echo "$*" >> ${folder}/asked`,
      'case "$*" in',
      `*" apply "*) cat > ${folder}/applied ;;`,
      '*" logs "*) echo the log ;;',
      `*" exec "*) tar -c -f - -C ${made} . ;;`,
      "esac",
    ]);
  };

  /** Runs the Job in a cluster that shows one state of its pod after the other, the last one for good. */
  const runWith = async (
    states: readonly object[],
    change: Partial<JobRun> = {},
  ): Promise<{ exitCode: number | string; asked: string }> => {
    const program = await kubectl();
    let looks = 0;
    let exitCode: number | string = "";
    await withFakeApi(
      (request) => {
        if (request === `${namespace}/pods`) {
          return [200, { items: [states[Math.min(looks++, states.length - 1)]] }];
        }
        return request === namespace ? [404, { message: "not found" }] : [200, {}];
      },
      async (api) => {
        exitCode = await runJob({
          ...{ api, kubectl: program, kubeconfig: "/lab/kubeconfig", run, objects },
          ...{ folder: results, signal: new AbortController().signal },
          say: () => undefined,
          ...change,
        }).catch((error: unknown) => String(error));
      },
    );
    const asked = await readFile(path.join(folder, "asked"), "utf8").catch(() => "");
    return { exitCode, asked };
  };

  it("applies its objects, and fetches log and results once the tests have ended", async () => {
    const states = [pod({ running: {} }), pod({ terminated: { exitCode: 1 } })];
    const { exitCode, asked } = await runWith(states);
    assert.equal(exitCode, 1);
    assert.equal(await readFile(path.join(results, logName), "utf8"), "the log\n");
    assert.equal(await readFile(path.join(results, "junit_01.xml"), "utf8"), "<testsuite/>");
    assert.match(asked, /logs kindows-conformance-x --container tests/);
    assert.match(asked, /exec kindows-conformance-x --container results -- tar/);
    const applied = JSON.parse(await readFile(path.join(folder, "applied"), "utf8")) as {
      items: { kind: string }[];
    };
    const kinds = applied.items.map(({ kind }) => kind);
    assert.deepEqual(kinds, ["Namespace", "ServiceAccount", "ClusterRoleBinding", "Job"]);
  });

  it("fetches what there is also where it is interrupted, and says so", async () => {
    const { exitCode } = await runWith([pod({ running: {} })], { signal: AbortSignal.abort() });
    assert.match(String(exitCode), /interrupted: the tests did not come to their end/);
    assert.equal(await readFile(path.join(results, logName), "utf8"), "the log\n");
  });

  it("waits no longer for a pod that has failed, and says why it has", async () => {
    const status = { phase: "Failed", reason: "Evicted", message: "disk" };
    const { exitCode } = await runWith([pod({ running: {} }), { metadata: {}, status }]);
    assert.match(String(exitCode), /their pod has failed: Evicted: disk: the tests did not come/);
  });

  it("takes no folder with results of an earlier run", async () => {
    await makeResultsFolder(path.join(results, "new"));
    await writeFile(path.join(results, "junit_02.xml"), "<testsuite/>");
    assert.deepEqual(await readResults(results), ["<testsuite/>"]);
    const message = /has results of an earlier run \(junit_02\.xml\)/;
    await assert.rejects(makeResultsFolder(results), message);
  });

  it("says what the API server refuses, and waits for nothing then", async () => {
    const refusing = await executable("refusing", ["echo 'Job is invalid' >&2", "exit 1"]);
    const { exitCode, asked } = await runWith([pod({})], { kubectl: refusing });
    assert.match(String(exitCode), /the tests' objects could not be made: Job is invalid$/);
    assert.equal(asked, "", "the kubectl that waits and fetches");
  });

  it("runs on this host with programs that are there, and reports those that are missing", async () => {
    await assert.rejects(checkPrograms(folder), /has no program ginkgo, none e2e\.test: unpack/);
    await executable("e2e.test", ["exit 1"]);
    await executable("ginkgo", [
      'for each in "$@"; do echo "$each"; done',
      'echo "lists: $KUBE_TEST_REPO_LIST"',
      "exit 3",
    ]);
    await checkPrograms(folder);
    const local = { run, programs: folder, kubeconfig: "/lab/kubeconfig", folder: results };
    const signal = new AbortController().signal;
    const exitCode = await runLocal({ ...local, repositoryFile: "/lists/mine.yaml", signal });
    assert.equal(exitCode, 3);
    const log = await readFile(path.join(results, logName), "utf8");
    for (const line of ["--node-os-distro=windows", "--kubeconfig=/lab/kubeconfig"]) {
      assert.ok(log.includes(`${line}\n`), log);
    }
    assert.match(log, /lists: \/lists\/mine\.yaml/);
  });

  it("ends on this host when it is interrupted", async () => {
    await executable("e2e.test", ["exit 1"]);
    await executable("ginkgo", ["exec sleep 3600"]);
    const aborter = new AbortController();
    setTimeout(() => aborter.abort(), 200);
    const local = { run, programs: folder, kubeconfig: "k", folder: results };
    const running = runLocal({ ...local, repositoryFile: undefined, signal: aborter.signal });
    await assert.rejects(running, /interrupted/);
  });

  it("can be shown before it is applied", async () => {
    const dry = ["conformance", "--dry-run", "--suite", "operational-readiness"];
    const { code, out } = await runKindows(dry);
    assert.equal(code, 0);
    assert.match(out, /^kind: Job$/m);
    assert.match(out, /image: registry\.k8s\.io\/conformance:v1\.36\.4/);
  });
});
