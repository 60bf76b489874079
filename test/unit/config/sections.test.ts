import assert from "node:assert/strict";
import { stackSections } from "../../../config/stack-sections.ts";

describe("Pulumi's configuration", () => {
  it("has sections below the project's name, which may be left out, and what nothing reads", () => {
    const { sections, strays } = stackSections(
      {
        "kindows:cni": { kind: "calico" },
        lab: { name: "x" },
        "pulumi:tags": { owner: "me" },
        "kindow:nodes": [],
        "kubernetes:context": "other",
      },
      "Pulumi.dev.yaml",
    );
    assert.deepEqual(sections, { cni: { kind: "calico" }, lab: { name: "x" } });
    assert.deepEqual(
      strays.map(({ place, instead }) => [place, instead.split(/[.?]/)[0]]),
      [
        ["kindow:nodes", "Did you mean kindows:nodes"],
        ["kubernetes:context", "Leave it out"],
      ],
    );
  });
});
