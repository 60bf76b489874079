import assert from "node:assert/strict";
import type { V1Pod } from "@kubernetes/client-node";

import { unrenewedPods } from "../../../cli/power/node-pods.ts";
import { eachCase } from "../each-case.ts";

const since = new Date("2027-03-01T12:00:00Z");
const [before, after] = ["2027-03-01T11:59:59Z", "2027-03-01T12:00:30Z"];

interface Given {
  readonly ready: "True" | "False";
  readonly at: string;
  readonly node?: string;
  readonly owner?: string;
  readonly priority?: string;
  readonly deleted?: boolean;
}

const pod = ({ ready, at, node = "win-1", owner = "DaemonSet", ...given }: Given): V1Pod => ({
  metadata: {
    name: "network",
    ownerReferences: [{ kind: owner, apiVersion: "apps/v1", name: "network", uid: "1" }],
    ...(given.deleted === true && { deletionTimestamp: since }),
  },
  spec: {
    nodeName: node,
    priorityClassName: given.priority ?? "system-node-critical",
    containers: [],
  },
  status: {
    phase: "Running",
    conditions: [{ type: "Ready", status: ready, lastTransitionTime: new Date(at) }],
  },
});

describe("what a node that was turned on waits for", () => {
  const cases: Readonly<Record<string, readonly [Given, boolean]>> = {
    "is its network's pod, until kubelet has looked at it": [{ ready: "True", at: before }, true],
    "is its network's pod, until it is ready": [{ ready: "False", at: after }, true],
    "is nothing once that has become ready since": [{ ready: "True", at: after }, false],
    "is no pod of another node": [{ ready: "False", at: before, node: "win-2" }, false],
    "is no pod that the node can do without": [{ ready: "False", at: before, priority: "" }, false],
    "is no pod that is not each node's": [{ ready: "False", at: before, owner: "Node" }, false],
    "is no pod that goes": [{ ready: "False", at: before, deleted: true }, false],
  };
  eachCase("%s", cases, ([given, waits]) =>
    assert.equal(unrenewedPods([pod(given)], ["win-1"], since).length, waits ? 1 : 0),
  );
});
