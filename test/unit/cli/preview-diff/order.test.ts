import assert from "node:assert/strict";

import { readPreview } from "../../../../cli/preview-diff/previewed.ts";

interface Given {
  readonly name: string;
  readonly of?: readonly string[];
  readonly after?: readonly string[];
}

const urn = (name: string): string => `urn:pulumi:a::kindows::x:y:Z::${name}`;

/** Names in the order in which a preview tells them, whatever the order in which the engine told it. */
function ordered(resources: readonly Given[]): readonly string[] {
  const steps = resources.map(({ name, of = [], after = [] }) => ({
    op: "create",
    urn: urn(name),
    newState: {
      custom: true,
      type: "x:y:Z",
      inputs: {},
      propertyDependencies: { input: of.map(urn) },
      dependencies: after.map(urn),
    },
  }));
  return readPreview(JSON.stringify({ steps }), "/project").resources.map(({ name }) => name);
}

describe("the order of a preview's resources", () => {
  const lab: readonly Given[] = [
    { name: "win-1", of: ["pool"] },
    { name: "win-1-ready", after: ["win-1-join"] },
    { name: "win-1-join", of: ["token", "win-1"] },
    { name: "win-10", of: ["pool"] },
    { name: "win-2", of: ["pool"] },
    { name: "token" },
    { name: "pool" },
  ];
  const expected = ["pool", "token", "win-1", "win-1-join", "win-1-ready", "win-2", "win-10"];

  it("puts what a resource is made of before it, and else goes by name, not by the engine's order", () => {
    assert.deepEqual(ordered(lab), expected);
    assert.deepEqual(ordered(lab.toReversed()), expected);
    assert.deepEqual(ordered([...lab.slice(3), ...lab.slice(0, 3)]), expected);
  });

  it("ends where resources are made of each other, or of one that nobody tells", () =>
    assert.deepEqual(
      ordered([
        { name: "b", of: ["a"] },
        { name: "a", of: ["b", "gone"] },
      ]),
      ["b", "a"],
    ));
});
