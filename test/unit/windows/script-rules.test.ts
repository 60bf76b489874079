import assert from "node:assert/strict";

import { hyperVScripts as hyperVParameters } from "../../../components/machine/hyper-v/scripts.ts";
import { nodeScripts } from "../../../components/windows/steps.ts";
import { exitCodes, rules, stepRules } from "./powershell-rules.ts";
import {
  declaredParameters,
  hyperVScripts,
  imageScripts,
  ownScripts,
  parsePowerShell,
  scripts,
  steps,
  type StepScript,
  withDotSourced,
} from "./step-scripts.ts";

for (const [what, folder] of Object.entries({ steps: scripts, imageScripts, hyperVScripts })) {
  describe(`each of the ${what}`, () => {
    for (const [rule, { broken }] of Object.entries({ ...rules, ...stepRules })) {
      it(rule, () => {
        const bound = folder.filter((script) => script.isStep || rule in rules);
        assert.deepEqual(
          bound.flatMap((script) => broken(script).map((each) => `${script.file}: ${each}`)),
          [],
        );
      });
    }
  });
}

describe("each script that runs by itself", () => {
  for (const [rule, { broken }] of Object.entries(rules)) {
    if (!/^(reads a whole file by \.NET|asks by a wildcard only)/.test(rule)) continue;
    it(rule, () => {
      assert.deepEqual(
        ownScripts.flatMap((script) => broken(script)),
        [],
      );
    });
  }
});

describe("the rules for scripts", () => {
  for (const [rule, { broken, bad }] of Object.entries({ ...rules, ...stepRules })) {
    for (const text of bad) {
      it(`notice that it is not so: ${rule}, but ${JSON.stringify(text.slice(0, 60))}`, () => {
        const root = parsePowerShell(`${text}\n`);
        const script: StepScript = { file: "Bad.ps1", name: "Bad", isStep: true, text, root };
        assert.notDeepEqual(broken(script), []);
      });
    }
  }
});

describe("step scripts", () => {
  const scriptOf = (name: string): StepScript =>
    [...steps, ...hyperVScripts].find((step) => step.name === name) ?? assert.fail(name);

  it("are all there: the steps and their library", () => {
    const named = (all: readonly StepScript[]): string[] =>
      all.flatMap((script) => (script.isStep ? [script.name] : [])).sort();
    assert.deepEqual(named(steps), [...nodeScripts.keys()].sort());
    assert.deepEqual(named(hyperVScripts), Object.keys(hyperVParameters).sort());
    const used = new Set(steps.flatMap((step) => withDotSourced(step).map((each) => each.file)));
    assert.deepEqual([...used].sort(), scripts.map((script) => script.file).sort());
  });

  const parameterLists = [
    ...[...nodeScripts.values()].map(({ name, parameters }) => [name, parameters] as const),
    ...Object.entries(hyperVParameters),
  ];
  for (const [name, parameters] of parameterLists) {
    it(`${name} has the same names, types and order of parameters as in TypeScript`, () =>
      assert.deepEqual(
        declaredParameters(scriptOf(name).root).map((parameter) => [
          parameter.name,
          parameter.type,
        ]),
        Object.entries(parameters),
      ));
  }

  it("have exit codes that are distinct, and none that is one of PowerShell's own", () => {
    const codes = [...exitCodes.values()].map(Number);
    assert.ok(codes.length > 20);
    assert.equal(new Set(codes).size, codes.length);
    assert.ok(codes.every((code) => code > 9 && code < 256));
  });
});
