import assert from "node:assert/strict";
import { judgeNodes } from "../../../../cli/doctor/nodes.ts";
import type { KnownNodes } from "../../../../cli/doctor/nodes.ts";

const now = new Date("2027-03-01T12:00:00Z");
const longAgo = "2027-03-01T11:00:00Z";
const justNow = "2027-03-01T11:59:00Z";
const known: KnownNodes = {
  joined: ["win-1"],
  containers: ["cp"],
  wrongClocks: [],
  canJoin: (node) => node === "win-1",
};

const lease = (name: string, renewTime: string | null): object => ({
  metadata: { name },
  spec: { renewTime },
});
const leases = { items: [lease("win-1", "2027-03-01T11:59:50.123456Z"), lease("cp", null)] };

interface NodeChange {
  readonly ready?: string;
  readonly conditions?: readonly object[];
  readonly unschedulable?: boolean;
  readonly annotations?: Record<string, string>;
}

function node(name: string, change: NodeChange = {}): object {
  const { ready = "True", conditions = [], unschedulable, annotations } = change;
  const message = ready === "True" ? "kubelet is posting" : "Kubelet stopped posting node status.";
  return {
    metadata: { name, annotations },
    spec: { unschedulable },
    status: { conditions: [{ type: "Ready", status: ready, message }, ...conditions] },
  };
}

function pod(nodeName: string | undefined, status: object, metadata: object = {}): object {
  return {
    metadata: { name: "p", creationTimestamp: longAgo, ...metadata },
    spec: { nodeName },
    status: { containerStatuses: [], ...status },
  };
}

const notReady = (since: string): object => ({
  phase: "Running",
  conditions: [
    { type: "Ready", status: "False", message: "containers not ready", lastTransitionTime: since },
  ],
});

describe("nodes of a lab", () => {
  const fine = [node("cp"), node("win-1")];
  const cases: readonly (readonly [
    string,
    readonly object[],
    readonly object[],
    readonly (readonly [name: string, seen: RegExp, repair?: object])[],
  ])[] = [
    ["in order are nothing to tell", fine, [], []],
    [
      "whose kubelet is silent on Windows",
      [node("cp"), node("win-1", { ready: "Unknown" })],
      [],
      [["node win-1", /not Ready: Kubelet stopped/, { kind: "run-join", node: "win-1" }]],
    ],
    [
      "whose kubelet is silent in a container",
      [node("cp", { ready: "Unknown" }), node("win-1")],
      [],
      [["node cp", /not Ready/, { kind: "restart-kubelet", container: "cp" }]],
    ],
    [
      "that somebody has deleted",
      [node("cp")],
      [],
      [["node win-1", /not in the cluster/, { kind: "run-join", node: "win-1" }]],
    ],
    [
      "that are not the stack's, and not Ready",
      [...fine, node("other", { ready: "False" })],
      [],
      [["node other", /not Ready/]],
    ],
    [
      "without any condition",
      [node("cp"), { metadata: { name: "win-1" } }],
      [],
      [["node win-1", /never said so/, { kind: "run-join", node: "win-1" }]],
    ],
    [
      "closed by somebody",
      [node("cp"), node("win-1", { unschedulable: true })],
      [],
      [["node win-1", /cordoned/]],
    ],
    [
      "closed by an upgrade that was not finished",
      [
        node("cp"),
        node("win-1", {
          unschedulable: true,
          annotations: { "kindows.dev/cordoned-for": "upgrade" },
        }),
      ],
      [],
      [["node win-1", /for an upgrade/]],
    ],
    [
      "with a full disk",
      [
        node("cp"),
        node("win-1", {
          conditions: [{ type: "DiskPressure", status: "True", message: "no room" }],
        }),
      ],
      [],
      [["node win-1", /^DiskPressure: no room$/]],
    ],
    [
      "with a pod that is not ready for long",
      fine,
      [pod("win-1", notReady(longAgo))],
      [["pod kube-system/p", /more than 3 min: containers not ready/]],
    ],
    [
      "with a pod that waits for its image",
      fine,
      [
        pod("win-1", {
          ...notReady(longAgo),
          containerStatuses: [{ state: { waiting: { reason: "ImagePullBackOff" } } }],
        }),
      ],
      [["pod kube-system/p", /: ImagePullBackOff$/]],
    ],
    [
      "with a pod that no node takes",
      fine,
      [pod(undefined, { phase: "Pending" })],
      [["pod kube-system/p", /: Pending$/]],
    ],
    ["with a pod that has just started", fine, [pod("win-1", notReady(justNow))], []],
    [
      "with a pod that was made just now",
      fine,
      [pod(undefined, { phase: "Pending" }, { creationTimestamp: justNow })],
      [],
    ],
    ["with a pod that is going", fine, [pod("cp", {}, { deletionTimestamp: longAgo })], []],
    ["with a pod that has ended well", fine, [pod("cp", { phase: "Succeeded" })], []],
    [
      "that are not Ready tell enough of their pods",
      [node("cp"), node("win-1", { ready: "Unknown" })],
      [pod("win-1", notReady(longAgo))],
      [["node win-1", /not Ready/, { kind: "run-join", node: "win-1" }]],
    ],
  ];
  for (const [name, nodes, pods, expected] of cases) {
    it(name, () => {
      const found = judgeNodes(
        { nodes: { items: nodes }, pods: { items: pods }, leases },
        known,
        now,
      );
      assert.deepEqual(
        found.map(({ name: each, repair }) => [each, repair]),
        expected.map(([each, , repair]) => [each, repair]),
      );
      found.forEach(({ seen }, index) => assert.match(seen, expected[index]?.[1] ?? /^$/));
    });
  }

  it("are left to a person where their machine cannot be told to join", () => {
    const nodes = [node("cp"), node("win-1", { ready: "Unknown" })];
    const [found] = judgeNodes(
      { nodes: { items: nodes }, pods: { items: [] }, leases },
      { ...known, canJoin: () => false },
      now,
    );
    assert.equal(found?.repair, undefined);
  });

  for (const bad of [undefined, {}, { items: [{}] }, "<html>"]) {
    it(`are not judged by something else: ${JSON.stringify(bad)}`, () => {
      assert.throws(() => judgeNodes({ nodes: bad, pods: { items: [] }, leases }, known, now));
    });
  }

  it("are told where their kubelet is silent, though still shown as Ready, unless their clock is wrong", () => {
    const answer = {
      nodes: { items: fine },
      pods: { items: [] },
      leases: { items: [lease("win-1", "2027-03-01T11:58:55Z")] },
    };
    const [found] = judgeNodes(answer, known, now);
    assert.equal(found?.seen, "its kubelet has given no sign for 65 s");
    assert.deepEqual(found.repair, { kind: "run-join", node: "win-1" });
    assert.deepEqual(judgeNodes(answer, { ...known, wrongClocks: ["win-1"] }, now), []);
  });
});
