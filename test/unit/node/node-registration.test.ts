import assert from "node:assert/strict";
import {
  renderKubeletArgs,
  renderLabels,
  renderTaints,
} from "../../../components/node/node-registration.ts";

describe("what a node registers with", () => {
  it("labels do not depend on the order of the settings", () => {
    assert.equal(renderLabels({ b: "2", "example.com/a": "", a: "1" }), "a=1,b=2,example.com/a=");
    assert.equal(renderLabels({ a: "1", "example.com/a": "", b: "2" }), "a=1,b=2,example.com/a=");
  });

  it("taints keep it, and lose an empty value", () => {
    assert.equal(
      renderTaints([
        { key: "os", value: "windows", effect: "NoSchedule" },
        { key: "busy", value: "", effect: "NoExecute" },
      ]),
      "os=windows:NoSchedule,busy:NoExecute",
    );
  });

  it("arguments of kubelet do not depend on the order of the settings, and have no dashes", () => {
    assert.equal(
      renderKubeletArgs({ v: "4", "feature-gates": "A=true,B=false", "max-pods": "60" }),
      "feature-gates=A=true,B=false max-pods=60 v=4",
    );
  });

  it("nothing is empty text", () => {
    assert.equal(renderKubeletArgs({}), "");
    assert.equal(renderLabels({}), "");
    assert.equal(renderTaints([]), "");
  });
});
