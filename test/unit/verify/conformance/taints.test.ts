import assert from "node:assert/strict";
import type { V1Node, V1Taint } from "@kubernetes/client-node";

import { prepareNodes, restoreNodes } from "../../../../verify/conformance/nodes.ts";
import {
  preparedNode,
  recordAnnotation,
  restoredNode,
} from "../../../../verify/conformance/taints.ts";
import { withFakeApi, type Answer } from "../../controlplane/fake-api.ts";

const node = (os: string, taints: V1Taint[], annotations: Record<string, string> = {}): V1Node => ({
  metadata: { name: os, labels: { "kubernetes.io/os": os }, annotations },
  spec: { taints },
});
const controlPlane: V1Taint = {
  key: "node-role.kubernetes.io/control-plane",
  effect: "NoSchedule",
};
const ofUser: V1Taint = { key: "os", value: "windows", effect: "NoSchedule" };
const preferred: V1Taint = { key: "busy", effect: "PreferNoSchedule" };
const condition: V1Taint = { key: "node.kubernetes.io/disk-pressure", effect: "NoSchedule" };

describe("taints of nodes while conformance runs", () => {
  const cases: Readonly<Record<string, readonly [V1Node, V1Taint[] | undefined]>> = {
    "a Linux node is closed": [node("linux", []), [controlPlane]],
    "a closed Linux node stays as it is": [node("linux", [controlPlane]), undefined],
    "a Linux node closed by a taint of the user's, too": [node("linux", [ofUser]), undefined],
    "a Linux node in trouble is closed of its own": [
      node("linux", [condition]),
      [condition, controlPlane],
    ],
    "a Windows node stays as it is": [node("windows", []), undefined],
    "a Windows node is opened": [node("windows", [ofUser, preferred]), [preferred]],
    "what Kubernetes says of a Windows node stays": [
      node("windows", [condition, ofUser]),
      [condition],
    ],
  };
  for (const [what, [before, expected]] of Object.entries(cases)) {
    it(`${what}, and is afterwards as before`, () => {
      const during = preparedNode(before);
      assert.deepEqual(during?.spec?.taints, expected);
      if (during === undefined) return;
      const after = restoredNode(during);
      const sorted = (taints: V1Taint[] = []): string[] => taints.map(({ key }) => key).sort();
      assert.deepEqual(sorted(after?.spec?.taints), sorted(before.spec?.taints));
      assert.equal(after?.metadata?.annotations?.[recordAnnotation], undefined);
    });
  }

  it("a node that no run has changed is left alone", () =>
    assert.equal(restoredNode(node("linux", [controlPlane], { other: "x" })), undefined));

  it("are put right first where a killed run has left them, and tried again where somebody else writes", async () => {
    let held = node("windows", [], { [recordAnnotation]: JSON.stringify([ofUser]) });
    let conflicts = 1;
    const answer = (request: string, body: unknown): Answer => {
      if (request === "GET /api/v1/nodes") return [200, { items: [held] }];
      if (request.startsWith("PUT")) {
        if (conflicts-- > 0) return [409, { message: "the object has been modified" }];
        held = body as V1Node;
      }
      return [200, held];
    };
    await withFakeApi(answer, async (api) => {
      assert.deepEqual(await prepareNodes(api), ["windows"]);
      assert.deepEqual(held.spec?.taints, []);
      assert.equal(held.metadata?.annotations?.[recordAnnotation], JSON.stringify([ofUser]));
      assert.deepEqual(await restoreNodes(api), ["windows"]);
      assert.deepEqual(held.spec?.taints, [ofUser]);
      assert.deepEqual(await restoreNodes(api), []);
    });
  });
});
