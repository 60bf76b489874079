import assert from "node:assert/strict";
import type { Node } from "web-tree-sitter";
import { hyperVScripts as hyperVParameters } from "../../../components/machine/hyper-v/script-parameters.ts";
import { parseStepResult } from "../../../components/windows/step-result.ts";
import { joinNode, nodeScripts } from "../../../components/windows/steps.ts";
import { tooNew } from "./powershell-5.ts";
import { exitCodes, keysOf, reportedFacts, rules, stepRules } from "./powershell-rules.ts";
import {
  declaredParameters,
  functions,
  hyperVScripts,
  imageScripts,
  nodes,
  parsePowerShell,
  scripts,
  steps,
  withDotSourced,
  type StepScript,
} from "./step-scripts.ts";
import { stepFacts } from "./windows-node-mocks.ts";

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

  const fine = [
    "Join-Path $a 'b'",
    "[IO.File]::Move($a, $b)",
    "$a = 10kb + 0x1f",
    "$a = '? : ?? && ||' # 10u",
  ];
  for (const text of fine) {
    it(`take for Windows PowerShell 5.1: ${text}`, () =>
      assert.deepEqual(tooNew(parsePowerShell(`${text}\n`)), []));
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

  // The mocks give a node these facts and no others, so what else it would read is missed there.
  for (const [name, facts] of Object.entries(stepFacts)) {
    it(`${name} reports what the pipeline reads: ${Object.keys(facts).join(", ")}`, () => {
      const reported = reportedFacts(scriptOf(name));
      const wrong = Object.keys(facts).filter((fact) => !reported.includes(fact));
      assert.deepEqual(wrong, []);
    });
  }
});

describe("results of step scripts", () => {
  const frame = scripts.find((script) => script.file === "lib/Step.ps1") ?? assert.fail();
  const invoke = functions(frame).get("Invoke-Step") ?? assert.fail();
  const [[success] = [], [failure, error] = []] = nodes(invoke, "command")
    .filter((command) => command.text.startsWith("Write-JsonLine"))
    .map((command) => nodes(command, "hash_literal_expression"));

  const step = joinNode.name;
  const values: Readonly<Record<string, unknown>> = {
    ...{ step, changed: true, rebootRequired: false, seconds: 1, facts: {}, error: {} },
    ...{ code: "JoinFailed", message: "It failed.", remedy: "Try again." },
  };
  const filled = (literal: Node | undefined): Record<string, unknown> =>
    Object.fromEntries(keysOf(literal ?? assert.fail()).map((key) => [key, values[key]]));

  it("have the very fields that the pipeline reads", () => {
    const line = filled(success);
    assert.equal(Object.keys(line).length, 5);
    assert.deepEqual(parseStepResult(step, "win-1", JSON.stringify(line)), line);
  });

  it("say of a failure what the pipeline reads", () => {
    const line = { ...filled(failure), error: filled(error) };
    assert.throws(
      () => parseStepResult(step, "win-1", JSON.stringify(line)),
      /^Error: Join-Node on win-1 failed \(JoinFailed\): It failed\. Try again\.$/,
    );
  });
});
