import assert from "node:assert/strict";
import type { V1ConfigMap, V1Job } from "@kubernetes/client-node";
import { parseAllDocuments } from "yaml";

import { conformanceObjects, objectsText } from "../../../../verify/conformance/objects.ts";
import { readinessCases } from "../../../../verify/conformance/readiness-cases.ts";
import { localCommand } from "../../../../verify/conformance/run-local.ts";
import { suiteNamed, suites } from "../../../../verify/conformance/suites.ts";
import { assertGolden } from "../../controlplane/golden.ts";

const here = new URL(import.meta.url);
const images = { tests: "registry.k8s.io/conformance:v1.36.4", results: "agnhost" };
const name = "kindows-conformance";
const labels = { "app.kubernetes.io/managed-by": "kindows" };
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
    const skip =
      "\\[Serial\\]|\\[Slow\\]|GMSA|gmsa|\\[LinuxOnly\\]|\\[Feature:DynamicResourceAllocation\\]|\\[Feature:GPUDevicePlugin\\]|\\[Feature:WindowsHyperVContainers\\]|\\[Alpha\\]|\\[Beta\\].\\[Feature:OffByDefault\\]|\\[FeatureGate:HostnameOverride\\]";
    const command = [
      ...["/usr/local/bin/ginkgo", "--nodes=4", "--no-color", "/usr/local/bin/e2e.test", "--"],
      ...["--provider=skeleton", "--node-os-distro=windows", "--num-nodes=2"],
      ...["--prepull-images=true", "--disable-log-dump=true", "--dump-logs-on-failure=true"],
      ...["--report-dir=/tmp/results", "--ginkgo.timeout=7200s", "--ginkgo.flake-attempts=2"],
      ...["--ginkgo.focus=\\[sig-windows\\]", `--ginkgo.skip=${skip}`],
    ];
    const volumeMounts = [{ name: "results", mountPath: "/tmp/results" }];
    const rbac = "rbac.authorization.k8s.io";
    const documents = parseAllDocuments(lines.join("\n")).map((each) => each.toJS() as unknown);
    assert.deepEqual(documents, [
      { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } },
      { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace: name } },
      {
        ...{ apiVersion: `${rbac}/v1`, kind: "ClusterRoleBinding", metadata: { name, labels } },
        roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "cluster-admin" },
        subjects: [{ kind: "ServiceAccount", name, namespace: name }],
      },
      {
        ...{ apiVersion: "batch/v1", kind: "Job", metadata: { name, namespace: name } },
        spec: {
          ...{ backoffLimit: 0, activeDeadlineSeconds: 10_800 },
          template: {
            metadata: { labels: { ...labels, "kindows.dev/conformance": "sig-windows" } },
            spec: {
              ...{ restartPolicy: "Never", serviceAccountName: name },
              nodeSelector: { "kubernetes.io/os": "linux" },
              tolerations: [{ operator: "Exists" }],
              containers: [
                { name: "tests", image: images.tests, command, volumeMounts },
                { name: "results", image: "agnhost", args: ["pause"], volumeMounts },
              ],
              volumes: [{ name: "results", emptyDir: {} }],
            },
          },
        },
      },
    ]);
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

/** Names as Kubernetes 1.36's e2e.test has them, and the suites each is in. */
const names: Readonly<Record<string, readonly string[]>> = {
  "[sig-windows] Hybrid cluster network for all supported CNIs should have stable networking for Linux and Windows pods":
    ["sig-windows", "conformance", "operational-readiness"],
  "[sig-windows] [Feature:Windows] Density [Serial] [Slow] create a batch of pods latency/resource should be within limit":
    ["sig-windows-serial", "operational-readiness"],
  "[sig-windows] [Feature:Windows] GMSA Full [Serial] [Slow] GMSA support can read and write file to remote SMB folder":
    [],
  "[sig-storage] ConfigMap should be consumable from pods in volume [NodeConformance] [Conformance]":
    ["conformance", "operational-readiness"],
  "[sig-windows] [Feature:WindowsHyperVContainers] HyperV containers should start a pod": [],
  "[sig-network] DNS should provide DNS for services [Conformance]": [
    "conformance",
    "operational-readiness",
  ],
  "[sig-apps] StatefulSet Basic should provide basic identity": ["operational-readiness"],
  "[sig-node] Pods should be submitted and removed [NodeConformance] [Conformance]": [
    "conformance",
  ],
  "[sig-storage] EmptyDir volumes should support (root,0644,tmpfs) [LinuxOnly] [NodeConformance]":
    [],
  "[sig-api-machinery] Garbage collector should orphan pods [Conformance]": [],
  "[sig-node] Memory Limits of something that is not Windows": [],
};

describe("suites of conformance", () => {
  for (const [test, expected] of Object.entries(names)) {
    it(`have each test where it belongs: ${test.slice(0, 70)}`, () => {
      const found = suites
        .filter(({ focus, skip }) => new RegExp(focus).test(test) && !new RegExp(skip).test(test))
        .map(({ id }) => id);
      assert.deepEqual(found, expected);
    });
  }

  it("have names of their own each, which are said when another is asked for", () => {
    assert.equal(new Set(suites.map(({ id }) => id)).size, suites.length);
    const message = /no suite "all": write one of sig-windows, .*operational-readiness$/;
    assert.throws(() => suiteNamed("all"), message);
  });

  it("cover every category of operational readiness but Active Directory", () =>
    assert.deepEqual(
      [...new Set(readinessCases.map(({ category }) => category))],
      [
        ...["Core.Network", "Core.Storage", "Core.Scheduling", "Core.Concurrent"],
        ...["Extend.Network", "Extend.NetworkPolicy"],
      ],
    ));
});
