import assert from "node:assert/strict";
import type { V1ConfigMap, V1Job } from "@kubernetes/client-node";

import {
  conformanceImage,
  conformanceObjects,
  objectsText,
} from "../../../../verify/conformance/objects.ts";
import { readinessCases } from "../../../../verify/conformance/readiness-cases.ts";
import { localCommand } from "../../../../verify/conformance/run-local.ts";
import { suiteNamed, suites } from "../../../../verify/conformance/suites.ts";
import { assertGolden } from "../../controlplane/golden.ts";

const here = new URL(import.meta.url);
const images = { tests: conformanceImage("1.36.4"), results: "agnhost" };
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
    assertGolden(here, "sig-windows.yaml", lines.join("\n"));
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
    const name = "kindows-conformance";
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
  for (const [name, expected] of Object.entries(names)) {
    it(`have each test where it belongs: ${name.slice(0, 70)}`, () => {
      const found = suites
        .filter(({ focus, skip }) => new RegExp(focus).test(name) && !new RegExp(skip).test(name))
        .map(({ id }) => id);
      assert.deepEqual(found, expected);
    });
  }

  it("have names of their own each, which are said when another is asked for", () => {
    assert.equal(new Set(suites.map(({ id }) => id)).size, suites.length);
    assert.throws(
      () => suiteNamed("all"),
      /no suite "all": write one of sig-windows, .*operational-readiness$/,
    );
  });

  it("cover every category of operational readiness but Active Directory", () => {
    assert.deepEqual(
      [...new Set(readinessCases.map(({ category }) => category))],
      [
        ...["Core.Network", "Core.Storage", "Core.Scheduling", "Core.Concurrent"],
        ...["Extend.Network", "Extend.NetworkPolicy"],
      ],
    );
  });
});
