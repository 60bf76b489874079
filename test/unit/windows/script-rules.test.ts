import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { parse } from "yaml";

import { hyperVScripts as hyperVParameters } from "../../../components/machine/hyper-v/scripts.ts";
import { nodeScripts } from "../../../components/windows/steps.ts";
import { exitCodes, rules, stepRules } from "./powershell-rules.ts";
import {
  declaredParameters,
  hyperVScripts,
  imageScripts,
  nodes,
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

describe("what only a real PowerShell shows of the scripts", () => {
  it("is as Pester's tests have it", function () {
    const asked = spawnSync("pwsh", ["-NoProfile", "-NonInteractive", "-Command", "exit 0"]);
    if (asked.error !== undefined) this.skip();
    const run = spawnSync(
      "pwsh",
      ["-NoProfile", "-NonInteractive", "-File", "test/pester/Invoke-Tests.ps1"],
      { encoding: "utf8", timeout: 540_000 },
    );
    assert.equal(run.status, 0, `${run.stdout}\n${run.stderr}`);
  });
});

const file = ".github/workflows/windows-steps.yaml";

describe(file, () => {
  const text = readFileSync(file, "utf8");

  it("starts for the same changes in a push and a pull request, and names places that are there", () => {
    const { on } = parse(text) as { on: Record<"push" | "pull_request", { paths: string[] }> };
    assert.deepEqual(on.pull_request.paths, on.push.paths);
    const called = [...text.matchAll(/\.\/([\w/-]+\.ps1|kindows\b)/g)].map(([, name = ""]) => name);
    const places = [...on.push.paths.map((each) => each.replace(/\/\*\*$/, "")), ...called];
    const wrong = places.filter((each) => !existsSync(each));
    assert.deepEqual(wrong, []);
  });
});

describe("actions of others", () => {
  it("are taken by their commit, whose version stands behind it", () => {
    const taken = readdirSync(".github", { recursive: true, encoding: "utf8" })
      .filter((each) => /(workflows|actions)\/.*\.yaml$/.test(each))
      .flatMap(
        (each) => readFileSync(`.github/${each}`, "utf8").match(/(?<=uses: )[^.\s].*$/gm) ?? [],
      );
    assert.ok(taken.length > 20);
    const wrong = taken.filter(
      (each) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(each),
    );
    assert.deepEqual(wrong, []);
  });
});

describe("the real steps on a Windows runner", () => {
  const plan = new Map(
    nodes(
      parsePowerShell(readFileSync("test/windows-runner/Invoke-RealSteps.ps1", "utf8")),
      "hash_entry",
    )
      .filter((entry) => /^'[A-Z][a-z]+-\w+'/.test(entry.text))
      .map((entry) => [
        /^'([^']+)'/.exec(entry.text)?.[1] ?? "",
        nodes(entry, "hash_entry")
          .slice(1)
          .map((inner) => /^(\w+)/.exec(inner.text)?.[1] ?? ""),
      ]),
  );
  // The installations of pod networks need what only their stacks fetch, the last two cut the connection.
  const left =
    /^(Join-Node|Reset-Node|Install-(Flannel|HybridOverlay)|(Add|Confirm)-ExternalNetwork)$/;

  it("are all up to the join that leave the runner its network", () => {
    const names = steps.map(({ name }) => name).filter((name) => !left.test(name));
    assert.deepEqual([...plan.keys()].sort(), names.sort());
  });

  for (const [name, values] of plan) {
    it(`${name} gets every parameter it has`, () => {
      const { root } = steps.find((each) => each.name === name) ?? assert.fail();
      const declared = declaredParameters(root).map((each) => each.name);
      assert.deepEqual(values.sort(), declared.sort());
    });
  }
});
