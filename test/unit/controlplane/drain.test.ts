import assert from "node:assert/strict";
import type { V1Pod } from "@kubernetes/client-node";

import { podName, podsToEvict } from "../../../components/controlplane/drain.ts";

const pod = (name: string, more: Partial<V1Pod> & { meta?: V1Pod["metadata"] } = {}): V1Pod => ({
  metadata: { name, namespace: "default", ...more.meta },
  status: { phase: "Running" },
  ...(more.status && { status: more.status }),
});
const owner = (kind: string, controller: boolean): V1Pod["metadata"] => ({
  ownerReferences: [{ apiVersion: "apps/v1", kind, name: "x", uid: "1", controller }],
});

const cases: readonly [what: string, pod: V1Pod, evicted: boolean][] = [
  ["a bare pod", pod("a"), true],
  ["a pod of a ReplicaSet", pod("b", { meta: owner("ReplicaSet", true) }), true],
  ["a pod of a DaemonSet", pod("c", { meta: owner("DaemonSet", true) }), false],
  [
    "a pod a DaemonSet owns but does not control",
    pod("d", { meta: owner("DaemonSet", false) }),
    true,
  ],
  [
    "a static pod",
    pod("e", { meta: { annotations: { "kubernetes.io/config.mirror": "hash" } } }),
    false,
  ],
  ["a pending pod", pod("f", { status: { phase: "Pending" } }), true],
  ["a pod that succeeded", pod("g", { status: { phase: "Succeeded" } }), false],
  ["a pod that failed", pod("h", { status: { phase: "Failed" } }), false],
  ["a pod without a status", { metadata: { name: "i", namespace: "default" } }, true],
];

describe("a drain", () => {
  for (const [what, subject, evicted] of cases) {
    it(`${evicted ? "moves" : "leaves"} ${what}`, () => {
      assert.deepEqual(podsToEvict([subject]), evicted ? [subject] : []);
    });
  }

  it("keeps the order", () => {
    const kept = podsToEvict(cases.map(([, subject]) => subject)).map(podName);
    assert.deepEqual(kept, ["default/a", "default/b", "default/d", "default/f", "default/i"]);
  });
});
