import assert from "node:assert/strict";
import { describe as describePods } from "../../../plugins/kubernetes/pod-report.ts";
import { readiness } from "../../../plugins/kubernetes/readiness.ts";
import type { PropertyMap } from "../../../plugins/protocol/property-value.ts";

describe("readiness", () => {
  const observed = { observedGeneration: 2 };
  const cases: readonly [string, string, PropertyMap, PropertyMap, string, RegExp][] = [
    ["a ConfigMap", "ConfigMap", {}, {}, "ready", /^ready$/],
    [
      "an unseen DaemonSet",
      "DaemonSet",
      {},
      { desiredNumberScheduled: 0 },
      "waiting",
      /generation 0 of 2/,
    ],
    [
      "one without nodes",
      "DaemonSet",
      {},
      { ...observed, desiredNumberScheduled: 0 },
      "ready",
      /0 of 0/,
    ],
    [
      "one with pods to schedule",
      "DaemonSet",
      {},
      { ...observed, desiredNumberScheduled: 2, currentNumberScheduled: 1 },
      "waiting",
      /1 of 2 pods scheduled/,
    ],
    [
      "one with pods that are not available",
      "DaemonSet",
      {},
      {
        ...observed,
        desiredNumberScheduled: 2,
        currentNumberScheduled: 2,
        updatedNumberScheduled: 2,
        numberAvailable: 1,
      },
      "waiting",
      /1 of 2 pods available/,
    ],
    ["a Deployment of none", "Deployment", { replicas: 0 }, observed, "ready", /0 of 0/],
    ["a Deployment without pods", "Deployment", {}, observed, "waiting", /0 of 1 pods updated/],
    [
      "a Deployment with an old pod",
      "Deployment",
      { replicas: 1 },
      { ...observed, replicas: 2, updatedReplicas: 1, availableReplicas: 1, readyReplicas: 1 },
      "waiting",
      /1 old pods still to go/,
    ],
    [
      "a Deployment that is stuck",
      "Deployment",
      {},
      {
        ...observed,
        conditions: [
          { type: "Progressing", reason: "ProgressDeadlineExceeded", message: "timed out" },
        ],
      },
      "failed",
      /timed out/,
    ],
  ];
  for (const [what, name, spec, status, state, message] of cases) {
    it(`of ${what} is ${state}`, () => {
      const found = readiness({ kind: name, metadata: { generation: 2 }, spec, status });
      assert.equal(found.state, state);
      assert.match(found.message, message);
    });
  }

  it("is explained by the pods that are not ready and the latest warnings", () => {
    const ready = [{ type: "Ready", status: "True" }];
    const report = describePods(
      [
        { metadata: { name: "good" }, status: { phase: "Running", conditions: ready } },
        {
          metadata: { name: "bad" },
          spec: { nodeName: "win-1" },
          status: {
            phase: "Pending",
            containerStatuses: [
              { name: "main", ready: false, state: { waiting: { reason: "ErrImagePull" } } },
            ],
          },
        },
        {
          metadata: { name: "homeless" },
          status: {
            phase: "Pending",
            conditions: [{ type: "PodScheduled", status: "False", message: "no node fits" }],
          },
        },
      ],
      [
        { reason: "Old", message: "first", lastTimestamp: "2026-01-01T00:00:00Z" },
        {
          reason: "Failed",
          message: "pull",
          lastTimestamp: "2026-01-01T00:00:01Z",
          involvedObject: { name: "bad" },
        },
      ],
    );
    assert.equal(
      report,
      [
        "pod bad on win-1 is Pending: container main waits: ErrImagePull",
        "pod homeless on no node is Pending: no node fits",
        "event Failed on bad: pull",
        "event Old on : first",
      ].join("\n"),
    );
  });
});
