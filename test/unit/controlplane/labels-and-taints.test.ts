import assert from "node:assert/strict";
import type { V1Node } from "@kubernetes/client-node";
import { changeNode } from "../../../host/kubernetes/change-node.ts";
import {
  withLabelsAndTaints,
  type LabelsAndTaints,
} from "../../../components/controlplane/labels-and-taints.ts";
import { eachCase } from "../each-case.ts";
import { withFakeApi } from "./fake-api.ts";

const none: LabelsAndTaints = { labels: {}, taints: [] };
const busy = { key: "busy", value: "", effect: "NoExecute" };
const os = { key: "os", value: "windows", effect: "NoSchedule" };

function node(labels: Record<string, string>, taints: object[] = [], annotation?: string): V1Node {
  return {
    metadata: {
      name: "win-1",
      labels,
      annotations: {
        others: "stay",
        ...(annotation !== undefined && { "kindows.dev/set": annotation }),
      },
    },
    spec: { podCIDR: "10.244.1.0/24", taints: taints as (typeof os)[] },
  };
}

/** What a change leaves, as far as marks go. */
function marksOf(changed: V1Node | undefined): unknown {
  if (changed === undefined) return "no change";
  const { labels, annotations } = changed.metadata ?? {};
  assert.equal(annotations?.["others"], "stay");
  assert.equal(changed.spec?.podCIDR, "10.244.1.0/24");
  return [labels, changed.spec?.taints, annotations["kindows.dev/set"]];
}

describe("labels and taints of a node that is there", () => {
  const note = '{"labels":["a"],"taints":["busy:NoExecute"]}';
  const ofOs = '{"labels":["a"],"taints":["os:NoSchedule"]}';
  const ours = { labels: { a: "1" }, taints: [busy] };
  const theirs = { ...busy, value: "theirs" };
  const asSet = [{ a: "1" }, [busy], note];
  const registered = { key: "busy", effect: "NoExecute", timeAdded: "2026-11-21T10:00:00Z" };
  const cases: Readonly<
    Record<string, readonly [before: V1Node, LabelsAndTaints, after: unknown]>
  > = {
    "nothing set, nothing to do": [node({ "kubernetes.io/os": "windows" }), none, "no change"],
    "registered as set: noted, to be taken back": [node({ a: "1" }, [registered]), ours, asSet],
    "set and noted": [node({ a: "1", zone: "x" }, [os, busy], note), ours, "no change"],
    "another value": [
      node({ a: "1" }, [{ ...os, value: "linux" }], ofOs),
      { labels: { a: "2" }, taints: [os] },
      [{ a: "2" }, [os], ofOs],
    ],
    "taken out of the settings: gone, and nobody else's with it": [
      node({ a: "1", zone: "x" }, [os, busy], note),
      none,
      [{ zone: "x" }, [os], undefined],
    ],
    "what somebody else set becomes ours": [node({ a: "theirs" }, [theirs]), ours, asSet],
    "a note somebody wrote into": [
      node({ a: "1", b: "1" }, [], "{"),
      { labels: { a: "1" }, taints: [] },
      [{ a: "1", b: "1" }, [], '{"labels":["a"],"taints":[]}'],
    ],
  };
  eachCase("%s", cases, ([before, marks, after]) => {
    const changed = withLabelsAndTaints(before, marks);
    assert.deepEqual(marksOf(changed), after);
    if (changed !== undefined) assert.equal(withLabelsAndTaints(changed, marks), undefined);
  });

  it("are written again when the kubelet wrote in between, and at most ten times", async () => {
    for (const [conflicts, puts] of [
      [2, 3],
      [99, 10],
    ] as const) {
      let left = conflicts;
      await withFakeApi(
        (request) =>
          request.startsWith("PUT") && left-- > 0
            ? [409, { message: "the object has been modified" }]
            : [200, node({})],
        async (api, requests) => {
          const marks = { labels: { a: "1" }, taints: [] };
          const applied = changeNode(api, "win-1", (each) => withLabelsAndTaints(each, marks));
          if (conflicts === 2) assert.equal(await applied, true);
          else await assert.rejects(applied, /has been modified/);
          assert.equal(requests.filter((each) => each.startsWith("PUT")).length, puts);
        },
      );
    }
  });
});
