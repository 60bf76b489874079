import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { V1ConfigMap, V1Job, V1Node, V1Pod, V1Taint } from "@kubernetes/client-node";

import { prepareNodes, restoreNodes } from "../../../verify/conformance/nodes.ts";
import { conformanceObjects, objectsText } from "../../../verify/conformance/objects.ts";
import {
  failedTests,
  totals,
  makeResultsFolder,
  readResults,
} from "../../../verify/conformance/results.ts";
import { type JobRun, logName, podState, runJob } from "../../../verify/conformance/run-job.ts";
import { checkPrograms, localCommand, runLocal } from "../../../verify/conformance/run-local.ts";
import { suiteNamed, suites } from "../../../verify/conformance/suites.ts";
import type { ClusterApi } from "../../../host/kubernetes/cluster-api.ts";
import { runKindows } from "../cli/run-kindows.ts";
import { type Answer, withFakeApi } from "../controlplane/fake-api.ts";
import { assertGolden, assertSaid } from "../controlplane/golden.ts";
import { eachCase } from "../each-case.ts";
import { newFolder } from "../new-folder.ts";
import { waitBy, withoutPauses } from "../waits.ts";

const here = new URL(import.meta.url);
const images = { tests: "registry.k8s.io/conformance:v1.36.4", results: "agnhost" };
const name = "kindows-conformance";
const runOf = (id: string) => {
  const suite = suiteNamed(id);
  const { timeoutSeconds } = suite;
  return { suite, kubernetesVersion: "1.36.4", windowsNodes: 2, timeoutSeconds };
};
const linesOf = (id: string): readonly string[] =>
  objectsText(conformanceObjects(runOf(id), images, undefined)).split("\n");

describe("what `kindows conformance` applies", () => {
  const lines = linesOf("sig-windows");

  it("is this for the suite that is run by itself", () => {
    assertGolden(here, "default-suite.yaml", lines.join("\n"));
  });

  it("has these lines of its own for each other suite", () => {
    const others = suites.slice(1).map(({ id }) => {
      const own = linesOf(id);
      assert.equal(own.length, lines.length);
      return own.filter((line, at) => line !== lines[at]).join("\n");
    });
    assertGolden(here, "other-suites.txt", `${others.join("\n---\n")}\n`);
  });

  it("has the tests' images from other registries where a list says so", () => {
    const list = "gcAuthenticatedRegistry: registry.example.com/private\n";
    const objects = conformanceObjects(runOf("sig-windows"), images, list);
    const [map, job] = objects.slice(-2) as [V1ConfigMap, V1Job];
    assert.deepEqual([objects.length, map.kind, map.apiVersion], [5, "ConfigMap", "v1"]);
    assert.deepEqual(map.metadata, { name, namespace: name });
    assert.deepEqual(map.data, { "repositories.yaml": list });
    const pod = job.spec?.template.spec;
    const [tests, results] = pod?.containers ?? [];
    const folder = "/etc/kindows-conformance";
    const value = `${folder}/repositories.yaml`;
    assert.deepEqual(tests?.env, [{ name: "KUBE_TEST_REPO_LIST", value }]);
    assert.deepEqual(tests.volumeMounts?.slice(1), [{ name: "repositories", mountPath: folder }]);
    assert.deepEqual([results?.env, results?.volumeMounts?.length], [undefined, 1]);
    assert.deepEqual(pod?.volumes?.slice(1), [{ name: "repositories", configMap: { name } }]);
  });

  it("takes another focus and skip than the suite's", () => {
    const run = { ...runOf("sig-windows"), focus: "Density", skip: "" };
    const text = JSON.stringify(conformanceObjects(run, images, undefined));
    assert.ok(text.includes('"--ginkgo.focus=Density"') && text.includes('"--ginkgo.skip="'), text);
  });

  it("runs the same on this host, with a kubeconfig", () => {
    const place = { programs: "/tests", kubeconfig: "/lab/kubeconfig", folder: "/results" };
    const [program, ...args] = localCommand({ run: runOf("sig-windows"), ...place });
    assert.equal(program, "/tests/ginkgo");
    for (const each of ["/tests/e2e.test", "--kubeconfig=/lab/kubeconfig", "--report-dir=/results"])
      assert.ok(args.includes(each), each);
  });
});

/** Names as Kubernetes 1.36's e2e.test has them. */
const names: readonly string[] = [
  "[sig-windows] Hybrid cluster network for all supported CNIs should have stable networking for Linux and Windows pods",
  "[sig-windows] [Feature:Windows] Density [Serial] [Slow] create a batch of pods latency/resource should be within limit",
  "[sig-windows] [Feature:Windows] GMSA Full [Serial] [Slow] GMSA support can read and write file to remote SMB folder",
  "[sig-storage] ConfigMap should be consumable from pods in volume [NodeConformance] [Conformance]",
  "[sig-windows] [Feature:WindowsHyperVContainers] HyperV containers should start a pod",
  "[sig-network] DNS should provide DNS for services [Conformance]",
  "[sig-apps] StatefulSet Basic should provide basic identity",
  "[sig-node] Pods should be submitted and removed [NodeConformance] [Conformance]",
  "[sig-storage] EmptyDir volumes should support (root,0644,tmpfs) [LinuxOnly] [NodeConformance]",
  "[sig-api-machinery] Garbage collector should orphan pods [Conformance]",
  "[sig-node] Memory Limits of something that is not Windows",
];

describe("suites of conformance", () => {
  it("have each test where it belongs", () => {
    const tests = Object.fromEntries(names.map((test) => [test, test]));
    const isIn = (test: string, pattern: string): boolean => new RegExp(pattern).test(test);
    return assertSaid(here, "suites.txt", tests, (test) => {
      const found = suites.filter(({ focus, skip }) => isIn(test, focus) && !isIn(test, skip));
      return found.map(({ id }) => id);
    });
  });

  it("have names of their own each, which are said when another is asked for", () => {
    assert.equal(new Set(suites.map(({ id }) => id)).size, suites.length);
    const message = /no suite "all": write one of sig-windows, .*operational-readiness$/;
    assert.throws(() => suiteNamed("all"), message);
  });
});

const junit = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="7000" disabled="6997" errors="0" failures="1" time="60">
  <testsuite name="Kubernetes e2e suite" tests="7000" disabled="6990" skipped="7" errors="0" failures="1" time="60">
    <testcase name="[It] [sig-windows] a &quot;good&quot; one" status="passed" time="1"></testcase>
    <testcase name="[It] left out" status="skipped" time="0"><skipped message="skipped"></skipped></testcase>
    <testcase name="[It] [sig-windows] a &lt;bad&gt; one" status="failed" time="2">
      <failure message="timed out" type="failed">...</failure>
    </testcase>
  </testsuite>
</testsuites>`;

describe("results of conformance", () => {
  it("are added up, what the focus leaves out apart", () => {
    assert.deepEqual(totals([junit]), { tests: 7000, failures: 1, errors: 0, skipped: 6997 });
    assert.equal(totals([junit, junit]).failures, 2);
  });

  it("are none where the focus fits no test: what Ginkgo does around all of them is no test", () => {
    // As ginkgo 2.28 and e2e.test of Kubernetes 1.36.4 write it.
    const around = (names: readonly string[], status: string): string =>
      names
        .map((name) => `<testcase name="${name}" classname="x" status="${status}" time="0">`)
        .join("</testcase>");
    const names = ["[ReportBeforeSuite]", "[ReportBeforeSuite]", "[ReportAfterSuite] Log Check"];
    const before = ["[SynchronizedBeforeSuite]", "[SynchronizedAfterSuite]"];
    const file = (all: string): string =>
      `<testsuite name="x" tests="7584" disabled="0" skipped="7579" errors="0" failures="0">${all}</testcase></testsuite>`;
    const expected = { tests: 7579, failures: 0, errors: 0, skipped: 7579 };
    assert.deepEqual(totals([file(around([...before, ...names], "passed"))]), expected);
    const half = `<testsuite tests="12" skipped="11" errors="0" failures="1">${around(["[BeforeSuite]"], "failed")}</testcase>${around(["[AfterSuite]"], "skipped")}</testcase></testsuite>`;
    assert.deepEqual(totals([half]), { tests: 11, failures: 1, errors: 0, skipped: 10 });
  });

  it("name what failed, as it is called, and each once", () => {
    assert.deepEqual(failedTests([junit, junit], 5), ["[It] [sig-windows] a <bad> one"]);
    assert.deepEqual(failedTests([junit], 0), []);
  });

  it("are none where there is no file, or one of another kind", () => {
    assert.throws(() => totals([]), /did not finish/);
    assert.throws(() => totals(["<html></html>"]), /is not a JUnit file/);
  });
});

describe("the pod with the tests", () => {
  const metadata = { name: "tests-x" };
  const pod = (state: object, phase = "Running"): V1Pod => ({
    metadata,
    spec: { nodeName: "linux", containers: [] },
    status: { phase, containerStatuses: [{ name: "tests", image: "tests:1", ...state } as never] },
  });
  const unscheduled = { type: "PodScheduled", status: "False", message: "0/1 nodes" };
  const pulling = { reason: "ImagePullBackOff", message: "not found" };
  const late = { phase: "Failed", reason: "DeadlineExceeded", message: "too long" };
  const cases: Readonly<Record<string, readonly V1Pod[]>> = {
    "not made yet": [],
    "without a place": [{ metadata, status: { phase: "Pending", conditions: [unscheduled] } }],
    "that waits for an image": [pod({ state: { waiting: pulling } })],
    "that runs": [pod({ state: { running: {} } })],
    "that has ended": [pod({ state: { terminated: { exitCode: 7 } } })],
    "ended by its deadline": [{ status: late }],
  };
  it("is in one of these states", () => assertSaid(here, "states.txt", cases, podState));
});

const node = (os: string, taints: V1Taint[], annotations: Record<string, string> = {}): V1Node => ({
  metadata: { name: os, labels: { "kubernetes.io/os": os }, annotations },
  spec: { taints },
});
const controlPlane: V1Taint = {
  key: "node-role.kubernetes.io/control-plane",
  effect: "NoSchedule",
};
const ofUser: V1Taint = { key: "os", value: "windows", effect: "NoSchedule" };
const preferred: V1Taint = { key: "busy", effect: "PreferNoSchedule" };
const condition: V1Taint = { key: "node.kubernetes.io/disk-pressure", effect: "NoSchedule" };

describe("taints of nodes while conformance runs", () => {
  const cases: Readonly<Record<string, readonly [V1Node, V1Taint[] | undefined]>> = {
    "a Linux node is closed": [node("linux", []), [controlPlane]],
    "a closed Linux node stays as it is": [node("linux", [controlPlane]), undefined],
    "a Linux node closed by a taint of the user's, too": [node("linux", [ofUser]), undefined],
    "a Linux node in trouble is closed of its own": [
      node("linux", [condition]),
      [condition, controlPlane],
    ],
    "a Windows node stays as it is": [node("windows", []), undefined],
    "a Windows node is opened": [node("windows", [ofUser, preferred]), [preferred]],
    "what Kubernetes says of a Windows node stays": [
      node("windows", [condition, ofUser]),
      [condition],
    ],
  };
  /** A cluster with this one node, which refuses the first changes. */
  function withNode(
    of: V1Node,
    test: (api: ClusterApi, now: () => V1Node) => Promise<void>,
    refused = 0,
  ): Promise<void> {
    let held = of;
    let conflicts = refused;
    const answer = (request: string, body: unknown): Answer => {
      if (request === "GET /api/v1/nodes") return [200, { items: [held] }];
      if (request.startsWith("PUT")) {
        if (conflicts-- > 0) return [409, { message: "the object has been modified" }];
        held = body as V1Node;
      }
      return [200, held];
    };
    return withFakeApi(answer, (api) => test(api, () => held));
  }
  const sorted = ({ spec }: V1Node): string[] => (spec?.taints ?? []).map(({ key }) => key).sort();

  eachCase("%s, and is afterwards as before", cases, ([before, expected]) =>
    withNode(before, async (api, now) => {
      const changed = expected === undefined ? [] : [before.metadata?.name];
      assert.deepEqual(await prepareNodes(api), changed);
      assert.deepEqual(now().spec?.taints, expected ?? before.spec?.taints);
      assert.deepEqual(await restoreNodes(api), changed);
      assert.deepEqual(sorted(now()), sorted(before));
      assert.deepEqual(now().metadata?.annotations, {});
    }),
  );

  it("are put right first where a killed run has left them, and tried again where somebody else writes", () => {
    const record = { "kindows.dev/conformance-taints": JSON.stringify([ofUser]) };
    const left = node("windows", [], record);
    const test = async (api: ClusterApi, now: () => V1Node): Promise<void> => {
      assert.deepEqual(await prepareNodes(api), ["windows"]);
      assert.deepEqual(now().spec?.taints, []);
      assert.deepEqual(now().metadata?.annotations, record);
      assert.deepEqual(await restoreNodes(api), ["windows"]);
      assert.deepEqual(now().spec?.taints, [ofUser]);
      assert.deepEqual(await restoreNodes(api), []);
    };
    return withNode(left, test, 1);
  });
});

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
          api,
          kubectl: program,
          kubeconfig: "/lab/kubeconfig",
          run,
          objects,
          folder: results,
          signal: new AbortController().signal,
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
    assert.match(String(exitCode), /interrupted: the tests did not finish/);
    assert.equal(await readFile(path.join(results, logName), "utf8"), "the log\n");
  });

  it("waits no longer for a pod that has failed, and says why it has", async () => {
    const status = { phase: "Failed", reason: "Evicted", message: "disk" };
    const { exitCode } = await runWith([pod({ running: {} }), { metadata: {}, status }]);
    assert.match(
      String(exitCode),
      /the tests did not finish, because their pod has failed: Evicted: disk/,
    );
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
    assert.match(String(exitCode), /the tests' objects could not be created: Job is invalid$/);
    assert.equal(asked, "", "the kubectl that waits and fetches");
  });

  it("runs on this host with programs that are there, and reports those that are missing", async () => {
    await assert.rejects(
      checkPrograms(folder),
      /does not contain the program ginkgo or e2e\.test: unpack/,
    );
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

  it("can be shown before it is applied", async () => {
    const dry = ["conformance", "--dry-run", "--suite", "operational-readiness"];
    const { code, out } = await runKindows(dry);
    assert.equal(code, 0);
    assert.match(out, /^kind: Job$/m);
    assert.match(out, /image: registry\.k8s\.io\/conformance:v1\.36\.4/);
  });
});
