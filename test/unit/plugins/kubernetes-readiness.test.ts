import assert from "node:assert/strict";
import type { CoreV1Event, V1Pod } from "@kubernetes/client-node";
import { describe as describePods } from "../../../plugins/kubernetes/await-ready.ts";
import { readiness } from "../../../plugins/kubernetes/readiness.ts";
import type { PropertyMap } from "../../../plugins/protocol/property-value.ts";

describe("readiness", () => {
  const pods = { desiredNumberScheduled: 2, currentNumberScheduled: 2, updatedNumberScheduled: 2 };
  const unscheduled = { ...pods, currentNumberScheduled: 1 };
  const none = { desiredNumberScheduled: 0 };
  const old = { replicas: 2, updatedReplicas: 1, availableReplicas: 1, readyReplicas: 1 };
  const late = { type: "Progressing", reason: "ProgressDeadlineExceeded", message: "timed out" };
  /** By its kind: what is said of what has been seen, and of which replicas. */
  const cases: Readonly<
    Record<string, readonly [string, PropertyMap, string, RegExp, replicas?: number][]>
  > = {
    ConfigMap: [["any", {}, "ready", /^ready$/]],
    DaemonSet: [
      ["unseen", { ...none, observedGeneration: null }, "waiting", /generation 0 of 2/],
      ["without nodes", none, "ready", /0 of 0/],
      ["with pods to schedule", unscheduled, "waiting", /1 of 2 pods scheduled/],
      ["with pods that are away", { ...pods, numberAvailable: 1 }, "waiting", /1 of 2 pods avail/],
    ],
    Deployment: [
      ["of none", {}, "ready", /0 of 0/, 0],
      ["without pods", {}, "waiting", /0 of 1 pods updated/],
      ["with an old pod", old, "waiting", /1 old pods still to go/, 1],
      ["that is stuck", { conditions: [late] }, "failed", /timed out/],
    ],
  };
  for (const [kind, all] of Object.entries(cases)) {
    for (const [what, seen, state, message, replicas] of all) {
      it(`of a ${kind}, ${what}, is ${state}`, () => {
        const status = { observedGeneration: 2, ...seen };
        const spec = { replicas };
        const found = readiness({ kind, metadata: { generation: 2 }, spec, status });
        assert.equal(found.state, state);
        assert.match(found.message, message);
      });
    }
  }

  it("is explained by the pods that are not ready and the latest warnings", () => {
    const ready = [{ type: "Ready", status: "True" }];
    const pending = { phase: "Pending" };
    const waiting = { name: "main", ready: false, state: { waiting: { reason: "ErrImagePull" } } };
    const homeless = { type: "PodScheduled", status: "False", message: "no node fits" };
    const time = "2026-01-01T00:00:0";
    const objects: unknown = [
      { metadata: { name: "good" }, status: { phase: "Running", conditions: ready } },
      {
        ...{ metadata: { name: "bad" }, spec: { nodeName: "win-1" } },
        status: { ...pending, containerStatuses: [waiting] },
      },
      { metadata: { name: "homeless" }, status: { ...pending, conditions: [homeless] } },
    ];
    const events: unknown = [
      { reason: "Old", message: "first", lastTimestamp: `${time}0Z`, involvedObject: {} },
      {
        ...{ reason: "Failed", message: "pull", lastTimestamp: `${time}1Z` },
        involvedObject: { name: "bad" },
      },
    ];
    const report = describePods(objects as V1Pod[], events as CoreV1Event[]);
    assert.deepEqual(report.split("\n"), [
      "pod bad on win-1 is Pending: main waits: ErrImagePull",
      "pod homeless on no node is Pending: no node fits",
      "event Failed on bad: pull",
      "event Old on : first",
    ]);
  });
});
