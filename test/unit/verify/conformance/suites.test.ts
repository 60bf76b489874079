import assert from "node:assert/strict";

import { readinessCases } from "../../../../verify/conformance/readiness-cases.ts";
import { suiteNamed, suites } from "../../../../verify/conformance/suites.ts";

/** Names as Kubernetes 1.36's e2e.test has them, and the suites each is in. */
const names: readonly (readonly [string, readonly string[]])[] = [
  [
    "[sig-windows] Hybrid cluster network for all supported CNIs should have stable networking for Linux and Windows pods",
    ["sig-windows", "conformance", "operational-readiness"],
  ],
  [
    "[sig-windows] [Feature:Windows] Density [Serial] [Slow] create a batch of pods latency/resource should be within limit",
    ["sig-windows-serial", "operational-readiness"],
  ],
  [
    "[sig-windows] [Feature:Windows] GMSA Full [Serial] [Slow] GMSA support can read and write file to remote SMB folder",
    [],
  ],
  [
    "[sig-storage] ConfigMap should be consumable from pods in volume [NodeConformance] [Conformance]",
    ["conformance", "operational-readiness"],
  ],
  ["[sig-windows] [Feature:WindowsHyperVContainers] HyperV containers should start a pod", []],
  [
    "[sig-network] DNS should provide DNS for services [Conformance]",
    ["conformance", "operational-readiness"],
  ],
  ["[sig-apps] StatefulSet Basic should provide basic identity", ["operational-readiness"]],
  [
    "[sig-node] Pods should be submitted and removed [NodeConformance] [Conformance]",
    ["conformance"],
  ],
  [
    "[sig-storage] EmptyDir volumes should support (root,0644,tmpfs) [LinuxOnly] [NodeConformance]",
    [],
  ],
  ["[sig-api-machinery] Garbage collector should orphan pods [Conformance]", []],
  ["[sig-node] Memory Limits of something that is not Windows", []],
];

describe("suites of conformance", () => {
  for (const [name, expected] of names) {
    it(`have each test where it belongs: ${name.slice(0, 70)}`, () => {
      const found = suites
        .filter(({ focus, skip }) => new RegExp(focus).test(name) && !new RegExp(skip).test(name))
        .map(({ id }) => id);
      assert.deepEqual(found, expected);
    });
  }

  it("have names, limits and a text of their own each", () => {
    assert.equal(new Set(suites.map(({ id }) => id)).size, suites.length);
    for (const { timeoutSeconds, parallel, what } of suites) {
      assert.ok(timeoutSeconds > 0 && parallel > 0 && what.length > 20);
    }
  });

  it("say which there are when another is asked for", () => {
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
