import assert from "node:assert/strict";
import { approvedVerbs, tooNew } from "./powershell-5.ts";
import { rules, stepRules } from "./powershell-rules.ts";
import { declaredParameters, functions, type StepScript } from "./step-scripts.ts";

/** Tests, to be declared within a `describe`, that scripts keep the rules, and those that are steps the steps' rules. */
export function checkRules(scripts: readonly StepScript[]): void {
  for (const [rule, broken] of Object.entries(rules)) {
    it(`each ${rule}`, () => {
      assert.deepEqual(
        scripts.flatMap((script) => broken(script).map((what) => `${script.file}: ${what}`)),
        [],
      );
    });
  }

  const steps = scripts.filter((script) => script.isStep);
  for (const [rule, broken] of Object.entries(stepRules)) {
    it(`each step ${rule}`, () => {
      assert.deepEqual(
        steps.flatMap((step) => broken(step).map((what) => `${step.file}: ${what}`)),
        [],
      );
    });
  }
}

/** Tests that scripts are for Windows PowerShell 5.1. */
export function checkPowerShell5(scripts: readonly StepScript[]): void {
  for (const script of scripts) {
    it(`${script.file} has nothing that came later than Windows PowerShell 5.1`, () => {
      assert.deepEqual(tooNew(script.root), []);
    });

    it(`${script.file} names functions by verbs it approves`, () => {
      const verbs = [...functions(script).keys()].map((name) => name.split("-")[0] ?? "");
      assert.deepEqual(
        verbs.filter((verb) => !approvedVerbs.has(verb)),
        [],
      );
    });
  }
}

/** Tests that every function in scripts says what it does and takes. */
export function checkFunctionHelp(scripts: readonly StepScript[]): void {
  for (const script of scripts) {
    for (const [name, node] of functions(script)) {
      it(`${script.file}: ${name} has a synopsis and documents its parameters`, () => {
        const before = script.text.slice(0, node.startIndex);
        const help = before.slice(before.lastIndexOf("<#"));
        assert.match(help, /^<#\n\.SYNOPSIS\n\S[\s\S]*#>\n$/);
        assert.deepEqual(
          [...help.matchAll(/^\.PARAMETER (\w+)$/gm)].map((match) => match[1]),
          declaredParameters(node).map((parameter) => parameter.name),
        );
      });
    }
  }
}
