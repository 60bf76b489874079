import assert from "node:assert/strict";
import { sections } from "../../../config/sections.ts";

describe("sections of Pulumi's configuration", () => {
  it("are those below the namespace; objects come as JSON, text as it is", () => {
    assert.deepEqual(
      sections({
        "kindows:cluster": '{"controlPlanes":1,"kubernetesVersion":"1.36.4"}',
        "kindows:nodes": '[{"name":"win-1"}]',
        "kindows:cni": "calico",
        "kindows:lab": "",
        "kubernetes:context": "other",
        "kindowsx:nodes": "[]",
      }),
      {
        cluster: { controlPlanes: 1, kubernetesVersion: "1.36.4" },
        nodes: [{ name: "win-1" }],
        cni: "calico",
        lab: "",
      },
    );
  });
});
