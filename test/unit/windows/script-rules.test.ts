import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Node } from "web-tree-sitter";
import { parse } from "yaml";

import { hyperVScripts as hyperVParameters } from "../../../components/machine/hyper-v/scripts.ts";
import { parseStepResult } from "../../../components/windows/step-result.ts";
import { joinNode, nodeScripts } from "../../../components/windows/steps.ts";
import { defaultContainerdVersion, kubernetesVersions } from "../../../config/supported.ts";
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
  type StepScript,
  withDotSourced,
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

const folder = "test/pester";
const text = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ps1"))
  .map((file) => readFileSync(path.join(folder, file), "utf8"))
  .join("\n");
const root = parsePowerShell(text);
const called = new Set(nodes(root, "command_name").map((name) => name.text));
/** Some are called in scripts that a test writes, to be run by a process of its own. */
const strings = nodes(root, "string_literal").map((literal) => literal.text);
/** Some run on the interpreter instead, one at a time. */
const interpreted = readFileSync("test/unit/windows-image/scripts-run.test.ts", "utf8");

/** Of the scripts for nodes and for Hyper-V hosts the interpreter says how much is run: test/script-coverage.ts. */
describe("the tests of the image's scripts in PowerShell", () => {
  const lacking = `no test in ${folder} does: write one (first run, second run, half done, each failure)`;

  for (const { name } of imageScripts.filter((script) => script.isStep)) {
    it(`run ${name}`, () => assert.ok(text.includes(`& "$ImageFolder/${name}.ps1"`), lacking));
  }
  for (const name of imageScripts.flatMap((script) => [...functions(script).keys()])) {
    it(`call ${name}`, () => {
      const inText = new RegExp(`\\b${name}( -|[;"])`);
      assert.ok(
        [...strings, interpreted].some((each) => inText.test(each)) || called.has(name),
        lacking,
      );
    });
  }

  it("pass", function () {
    const asked = spawnSync("pwsh", ["-NoProfile", "-NonInteractive", "-Command", "exit 0"]);
    if (asked.error !== undefined) this.skip();
    const run = spawnSync(
      "pwsh",
      ["-NoProfile", "-NonInteractive", "-File", `${folder}/Invoke-Tests.ps1`],
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

  it("fetches programs alone, and installs the versions that the stack dev has by default", () => {
    assert.match(text, /kindows fetch --stack existing$/m);
    assert.match(
      text,
      new RegExp(
        `-ContainerdVersion ${defaultContainerdVersion} -KubernetesVersion ${kubernetesVersions[0]}$`,
        "m",
      ),
    );
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
  // Of the last three the first needs what only a stack with Flannel fetches, the others cut the connection.
  const left =
    /^(Join-Node|Reset-Node|Install-Flannel|Add-ExternalNetwork|Confirm-ExternalNetwork)$/;

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
