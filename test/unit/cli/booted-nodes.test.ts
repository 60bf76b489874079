import assert from "node:assert/strict";
import type { V1Node, V1Pod } from "@kubernetes/client-node";

import { bootedNodes, unreadyNodes } from "../../../cli/power/booted-nodes.ts";
import type { Part } from "../../../cli/power/turn-off.ts";
import { eachCase } from "../each-case.ts";

const part = (node: string, state: string, id = node, role?: string): Part => ({
  node,
  isRunning: state === "running",
  resource: {
    ...{ kind: "k", name: node, lab: "kindows-x", identity: id },
    ...(role !== undefined && { role }),
  },
});

describe("nodes that have booted", () => {
  const cases: Readonly<
    Record<string, readonly [before: readonly Part[], after: readonly Part[], names: string[]]>
  > = {
    "are those that were off": [
      [part("win-1", "off"), part("win-2", "running")],
      [part("win-1", "running"), part("win-2", "running")],
      ["win-1"],
    ],
    "are those whose machine somebody had removed": [[], [part("win-1", "running")], ["win-1"]],
    "are those that run on another machine": [
      [part("win-1", "running", "1")],
      [part("win-1", "running", "2")],
      ["win-1"],
    ],
    "are none that are still off, or gone": [
      [part("win-1", "off"), part("win-2", "running")],
      [part("win-1", "off")],
      [],
    ],
    "are no registry": [
      [part("r", "off", "r", "registry")],
      [part("r", "running", "r", "registry")],
      [],
    ],
  };
  eachCase("%s", cases, ([before, after, names]) =>
    assert.deepEqual(bootedNodes(before, after), names),
  );
});

const [long, before] = ["2027-03-01T10:00:00Z", "2027-03-01T11:59:59Z"];
const since = new Date("2027-03-01T12:00:00Z");
const [after, now] = ["2027-03-01T12:00:30Z", new Date("2027-03-01T12:00:20Z")];

interface Given {
  /** Of the pod; none: there is none. */
  readonly ready?: "True" | "False";
  readonly at?: string;
  readonly on?: string;
  readonly owner?: string;
  readonly priority?: string;
  readonly deleted?: boolean;
  /** Of the node. */
  readonly node?: "True" | "False";
  readonly joined?: string;
  readonly heard?: string;
  readonly awaitsPodNetwork?: boolean;
}

const pod = ({ ready, at = after, on = "win-1", ...given }: Given): V1Pod => ({
  metadata: {
    name: "network",
    ownerReferences: [
      { kind: given.owner ?? "DaemonSet", apiVersion: "apps/v1", name: "network", uid: "1" },
    ],
    ...(given.deleted === true && { deletionTimestamp: since }),
  },
  spec: {
    nodeName: on,
    priorityClassName: given.priority ?? "system-node-critical",
    containers: [],
  },
  status: {
    phase: "Running",
    conditions: [{ type: "Ready", status: ready ?? "", lastTransitionTime: new Date(at) }],
  },
});
const node = ({ node = "True", joined = long }: Given): V1Node => ({
  metadata: { name: "win-1", creationTimestamp: new Date(joined) },
  status: { conditions: [{ type: "Ready", status: node }] },
});

describe("what a node that has booted waits for", () => {
  const other = { ready: "False", heard: before } as const;
  const cases: Readonly<Record<string, readonly [Given, boolean]>> = {
    "is its network's pod, until kubelet has looked at it": [{ ready: "True", at: before }, true],
    "is its network's pod, until it is ready": [{ ready: "False" }, true],
    "is nothing once that has become ready since": [{ ready: "True", heard: before }, false],
    "is to be Ready": [{ ready: "True", node: "False" }, true],
    "is a heartbeat, where it has no such pod": [{ heard: before }, true],
    "is nothing after a heartbeat, where it has no such pod": [{}, false],
    "is a heartbeat, where the user installs the pod network": [
      { ...other, node: "False", awaitsPodNetwork: true },
      true,
    ],
    "is no pod that waits for the user's network": [
      { ready: "False", node: "False", awaitsPodNetwork: true },
      false,
    ],
    "is nothing where it has joined since": [{ ...other, node: "False", joined: after }, false],
    "is no pod of another node": [{ ready: "False", on: "win-2" }, false],
    "is no pod that the node can do without": [{ ready: "False", priority: "" }, false],
    "is no pod that is not each node's": [{ ready: "False", owner: "Node" }, false],
    "is no pod that goes": [{ ready: "False", deleted: true }, false],
  };
  eachCase("%s", cases, ([given, waits]) => {
    const pods = given.ready === undefined ? [] : [pod(given)];
    const { awaitsPodNetwork = false, heard = after } = given;
    const answer = { nodes: [node(given)], heartbeats: { "win-1": new Date(heard) }, pods };
    const waiting = unreadyNodes(answer, { booted: ["win-1"], since, now, awaitsPodNetwork });
    assert.equal(waiting.length, waits ? 1 : 0, waiting.join("; "));
  });

  it("is nothing of a node that has not booted, or is not in the cluster", () => {
    const answer = { nodes: [node({})], heartbeats: {}, pods: [pod({ ready: "False" })] };
    for (const booted of [["win-2"], []]) {
      assert.deepEqual(unreadyNodes(answer, { booted, since, now, awaitsPodNetwork: false }), []);
    }
  });
});
