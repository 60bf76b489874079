import assert from "node:assert/strict";
import type { V1Pod } from "@kubernetes/client-node";

import { podTroubles } from "../../../components/cni/pod-troubles.ts";

const pod = (status: object, nodeName?: string): V1Pod =>
  ({ metadata: { name: "calico-node-1" }, spec: { nodeName }, status }) as unknown as V1Pod;

describe("pods of a pod network", () => {
  it("say which image can't be pulled, and where", () => {
    const waiting = { reason: "ImagePullBackOff", message: 'Back-off pulling image "quay.io/x"' };
    const found = podTroubles([
      pod({ initContainerStatuses: [{ name: "install-cni", state: { waiting } }] }, "worker-1"),
    ]);
    assert.deepEqual(found, [
      'pod calico-node-1 on worker-1: install-cni waits: ImagePullBackOff (Back-off pulling image "quay.io/x")',
    ]);
  });

  it("say that no node takes them", () => {
    const conditions = [
      { type: "PodScheduled", status: "False", message: "0/1 nodes are available" },
    ];
    assert.deepEqual(podTroubles([pod({ conditions })]), [
      "pod calico-node-1: 0/1 nodes are available",
    ]);
  });

  it("say nothing when they run, or are only being made", () => {
    const container = (state: object): object => ({ containerStatuses: [{ name: "c", state }] });
    assert.deepEqual(
      podTroubles([
        pod(container({ running: {} }), "a"),
        pod(container({ waiting: { reason: "ContainerCreating" } }), "a"),
        pod({}),
      ]),
      [],
    );
  });
});
