import assert from "node:assert/strict";
import { stepParameters } from "../../../components/windows/step-parameters.ts";
import { declaredParameters, steps } from "./step-scripts.ts";

describe("parameters in TypeScript and in the scripts", () => {
  it("there is a script for each step, and a step for each script", () => {
    assert.deepEqual(
      steps.map((step) => step.name).toSorted(),
      Object.keys(stepParameters).toSorted(),
    );
  });

  for (const [name, parameters] of Object.entries(stepParameters)) {
    it(`${name} has the same names, types and order on both sides`, () => {
      const script = steps.find((step) => step.name === name);
      assert.ok(script);
      assert.deepEqual(
        declaredParameters(script.root).map((parameter) => [parameter.name, parameter.type]),
        Object.entries(parameters),
      );
    });

    it(`${name} gives its own name to its result`, () => {
      const script = steps.find((step) => step.name === name);
      assert.match(script?.text ?? "", new RegExp(`^Invoke-Step -Name '${name}' -Body \\{$`, "m"));
    });
  }
});
