import assert from "node:assert/strict";
import {
  parseDeployment,
  pendingOperations,
  resourcesOf,
  withoutPendingOperations,
} from "../../../../cli/recovery/deployment.ts";
import { deployment, resource } from "./state-builder.ts";

const creating = { type: "creating" as const, resource: resource("libvirt:index/pool:Pool", "a") };

describe("a stack's exported state", () => {
  it("is read with what this program does not know kept", () => {
    const exported = {
      version: 3,
      deployment: {
        manifest: { time: "2026-11-21T11:48:12Z", magic: "ab", version: "v3.259.0" },
        secrets_providers: { type: "passphrase", state: { salt: "v1:x" } },
        resources: [{ urn: "u", type: "t", custom: true, sourcePosition: "project:///index.ts#1" }],
        metadata: { integrity_error: null },
      },
    };
    assert.deepEqual(parseDeployment(JSON.stringify(exported)), exported);
  });

  it("of a stack that never was up has no resources and no pending operations", () => {
    const empty = parseDeployment('{"version":3,"deployment":{"manifest":{}}}');
    assert.deepEqual(resourcesOf(empty), []);
    assert.deepEqual(pendingOperations(empty), []);
  });

  it("loses its pending operations and nothing else", () => {
    const before = deployment([resource("t", "a")], [creating]);
    const after = withoutPendingOperations(before);
    assert.deepEqual(after, deployment([resource("t", "a")]));
    assert.equal(pendingOperations(before).length, 1);
  });

  const wrong: readonly [string, string, RegExp][] = [
    ["another format version", '{"version":2,"deployment":{}}', /format version 2/],
    ["no JSON", "error: no stack", /JSON/],
    ["no deployment", '{"version":3}', /deployment/],
    [
      "an operation of an unknown kind",
      '{"version":3,"deployment":{"pending_operations":[{"type":"guessing","resource":{"urn":"u","type":"t"}}]}}',
      /creating/,
    ],
  ];
  for (const [name, text, message] of wrong) {
    it(`is refused: ${name}`, () => {
      assert.throws(() => parseDeployment(text), message);
    });
  }
});
