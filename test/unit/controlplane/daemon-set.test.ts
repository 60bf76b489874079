import assert from "node:assert/strict";
import type { V1ControllerRevision, V1DaemonSet, V1Pod } from "@kubernetes/client-node";

import { missingOnNodes } from "../../../host/kubernetes/daemon-set.ts";
import { eachCase } from "../each-case.ts";
import { withFakeApi } from "./fake-api.ts";

const ownerReferences = [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "agent", uid: "mine" }];
const labels = (hash: string) => ({ app: "agent", "controller-revision-hash": hash });

function daemonSet(generation: number, observedGeneration?: number): V1DaemonSet {
  return {
    metadata: { name: "agent", namespace: "net", uid: "mine", generation },
    spec: { selector: { matchLabels: { app: "agent" } }, template: {} },
    // What a DaemonSet says of itself before the first of its nodes exists.
    status: {
      ...{ currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0 },
      ...{ numberReady: 0, observedGeneration },
    },
  };
}

function revision(number: number, hash: string, uid = "mine"): V1ControllerRevision {
  const owners = ownerReferences.map((owner) => ({ ...owner, uid }));
  return { revision: number, metadata: { labels: labels(hash), ownerReferences: owners } };
}

function pod(hash: string, ready: boolean, changes: Partial<V1Pod["metadata"]> = {}): V1Pod {
  return {
    metadata: { name: `agent-${hash}`, labels: labels(hash), ownerReferences, ...changes },
    spec: { containers: [], nodeName: "win-1" },
    status: {
      phase: "Pending",
      conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
    },
  };
}

/** @param containers whether each is ready, and how often it was restarted. */
function running(pod: V1Pod, containers: Readonly<Record<string, [boolean, number]>>): V1Pod {
  const containerStatuses = Object.entries(containers).map(([name, [ready, restartCount]]) => ({
    ...{ name, ready, restartCount, image: "i", imageID: "" },
    state: { running: {} },
  }));
  return { ...pod, status: { ...pod.status, phase: "Running", containerStatuses } };
}

interface Cluster {
  readonly set?: V1DaemonSet;
  readonly revisions?: readonly V1ControllerRevision[];
  readonly pods?: readonly V1Pod[];
}

const revisions = [revision(1, "old"), revision(2, "new"), revision(3, "foreign", "other")];
const set = daemonSet(2, 2);

/** Answers of a cluster, those from before a change among them, and what is still missing. */
const cases: Readonly<Record<string, readonly [Cluster, string?]>> = {
  "the newest pod is ready": [{ set, revisions, pods: [pod("old", false), pod("new", true)] }],
  "the DaemonSet does not exist": [{}, "the DaemonSet net/agent does not exist yet"],
  "the node is new and the DaemonSet wants no pod yet": [
    { set, revisions },
    "agent has no pod on win-1",
  ],
  "only the pod from before the change is ready": [
    { set, revisions, pods: [pod("old", true)] },
    "agent has a pod of an earlier version on win-1",
  ],
  "the controller has not seen the change": [
    { set: daemonSet(3, 2), revisions, pods: [pod("new", true)] },
    "the newest DaemonSet net/agent has not been rolled out yet",
  ],
  "the controller has never seen it": [
    { set: daemonSet(1), revisions, pods: [pod("new", true)] },
    "the newest DaemonSet net/agent has not been rolled out yet",
  ],
  "the ready pod is being deleted": [
    { set, revisions, pods: [pod("new", true, { deletionTimestamp: new Date(0) })] },
    "agent has no pod on win-1",
  ],
  "the ready pod belongs to another DaemonSet with the same labels": [
    { set, revisions, pods: [pod("new", true, { ownerReferences: [] })] },
    "agent has no pod on win-1",
  ],
  "the newest pod is still starting": [
    { set, revisions, pods: [pod("new", false)] },
    "agent-new on win-1 is Pending",
  ],
  "the newest pod's containers run": [
    { set, revisions, pods: [running(pod("new", false), { main: [true, 0], log: [false, 2] })] },
    "agent-new on win-1 runs, and its readiness probe does not pass yet: log (restarts: 2)",
  ],
};

describe("a DaemonSet on the nodes of a lab", () => {
  eachCase("is awaited: %s", cases, async ([{ set: live, revisions = [], pods = [] }, missing]) => {
    const answers: Readonly<Record<string, object | undefined>> = {
      "GET /apis/apps/v1/namespaces/net/daemonsets/agent": live,
      "GET /apis/apps/v1/namespaces/net/controllerrevisions": { items: revisions },
      "GET /api/v1/namespaces/net/pods": { items: pods },
    };
    const found = await withFakeApi(
      (request) => [answers[request] === undefined ? 404 : 200, answers[request] ?? {}],
      (api) => missingOnNodes(api, { namespace: "net", name: "agent" }, ["win-1"]),
    );
    assert.deepEqual(found, missing === undefined ? [] : [missing]);
  });

  it("says of each node what is missing there, and nothing of others", async () => {
    const elsewhere = { ...pod("new", false), spec: { containers: [], nodeName: "theirs" } };
    const found = await withFakeApi(
      (request) => [
        200,
        request.endsWith("/agent")
          ? set
          : { items: request.endsWith("/pods") ? [pod("new", true), elsewhere] : revisions },
      ],
      (api) => missingOnNodes(api, { namespace: "net", name: "agent" }, ["win-1", "win-2"]),
    );
    assert.deepEqual(found, ["agent has no pod on win-2"]);
  });
});
