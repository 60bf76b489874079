import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import * as z from "zod";
import { defaultContainerdVersion, kubernetesVersions } from "../../../config/supported.ts";
import { declaredParameters, nodes, parsePowerShell, steps } from "./step-scripts.ts";

const file = ".github/workflows/windows-steps.yaml";
const step = z.object({ uses: z.string().optional(), run: z.string().optional() }).loose();
const job = z
  .object({
    "runs-on": z.string(),
    "timeout-minutes": z.number(),
    needs: z.string().optional(),
    strategy: z
      .object({ matrix: z.object({ include: z.array(z.record(z.string(), z.string())) }) })
      .optional(),
    steps: z.array(step),
  })
  .loose();
const schema = z.object({
  on: z
    .object({
      push: z.object({ paths: z.array(z.string()) }).loose(),
      pull_request: z.object({ paths: z.array(z.string()) }),
    })
    .loose(),
  permissions: z.record(z.string(), z.string()),
  jobs: z.record(z.string(), job),
});

const text = readFileSync(file, "utf8");
const workflow = schema.parse(parse(text));
const runs = Object.values(workflow.jobs).flatMap((each) => each.steps.map(({ run }) => run ?? ""));
const realSteps = readFileSync("test/windows-runner/Invoke-RealSteps.ps1", "utf8");

describe(file, () => {
  it("runs on Linux and on Windows Server 2022, there in both PowerShells", () => {
    const matrix = workflow.jobs["pester"]?.strategy?.matrix.include ?? [];
    assert.deepEqual(
      matrix.map(({ os, shell }) => `${String(os)} ${String(shell)}`),
      ["ubuntu-24.04 pwsh", "windows-2022 pwsh", "windows-2022 powershell"],
    );
    assert.equal(workflow.jobs["real-steps"]?.["runs-on"], "windows-2022");
  });

  it("may only read, and every job ends", () => {
    assert.deepEqual(workflow.permissions, { contents: "read" });
    for (const [name, each] of Object.entries(workflow.jobs)) {
      assert.ok(each["timeout-minutes"] <= 60, name);
    }
  });

  it("runs tests, analysis and the real steps, by scripts that are there", () => {
    const called = runs.flatMap((run) =>
      [...run.matchAll(/\.\/([\w/-]+\.ps1)/g)].map((match) => match[1] ?? ""),
    );
    assert.deepEqual(called.toSorted(), [
      "test/pester/Invoke-Analysis.ps1",
      "test/pester/Invoke-Tests.ps1",
      "test/windows-runner/Invoke-RealSteps.ps1",
    ]);
    for (const script of [...called, "kindows", "test/windows-runner/Get-MachineState.ps1"]) {
      assert.ok(existsSync(script), script);
    }
  });

  it("starts for the same changes in a push and a pull request, in places that are there", () => {
    const { push, pull_request: pull } = workflow.on;
    assert.deepEqual(pull.paths, push.paths);
    for (const each of push.paths) {
      assert.ok(existsSync(each.replace(/\/\*\*$/, "")), each);
    }
  });

  it("names jobs that are there", () => {
    for (const { needs } of Object.values(workflow.jobs)) {
      assert.ok(needs === undefined || needs in workflow.jobs, needs);
    }
  });

  it("fetches and installs the versions that the stack dev has by default", () => {
    const run = runs.find((each) => each.includes("Invoke-RealSteps")) ?? "";
    assert.ok(run.includes(`-ContainerdVersion ${defaultContainerdVersion}`), run);
    assert.ok(run.includes(`-KubernetesVersion ${kubernetesVersions[0]}`), run);
  });
});

describe("the real steps on a Windows runner", () => {
  for (const name of ["Invoke-RealSteps", "Get-MachineState"]) {
    it(`${name}.ps1 parses, is plain ASCII, and has lines of at most 120 characters`, () => {
      const script = readFileSync(`test/windows-runner/${name}.ps1`, "utf8");
      assert.equal(parsePowerShell(script).hasError, false);
      assert.doesNotMatch(script, /[^\n\x20-\x7e]/);
      assert.deepEqual(
        script.split("\n").filter((line) => line.length > 120),
        [],
      );
    });
  }

  const plan = new Map(
    nodes(parsePowerShell(realSteps), "hash_entry")
      .filter((entry) => /^'[A-Z][a-z]+-\w+'/.test(entry.text))
      .map((entry) => [
        /^'([^']+)'/.exec(entry.text)?.[1] ?? "",
        nodes(entry, "hash_entry")
          .slice(1)
          .map((inner) => /^(\w+)/.exec(inner.text)?.[1] ?? ""),
      ]),
  );

  it("are all up to the join that leave the runner its network", () => {
    const left = [
      ...["Join-Node", "Reset-Node"],
      // Not run there: the first needs what only a stack with Flannel fetches, the others cut the connection.
      ...["Install-Flannel", "Add-ExternalNetwork", "Confirm-ExternalNetwork"],
    ];
    assert.deepEqual(
      [...plan.keys()].toSorted(),
      steps
        .map(({ name }) => name)
        .filter((name) => !left.includes(name))
        .toSorted(),
    );
    assert.match(realSteps, /Invoke-OneStep 'Reset-Node'/);
  });

  for (const [name, values] of plan) {
    it(`${name} gets every parameter it has`, () => {
      const found = steps.find((each) => each.name === name);
      assert.deepEqual(
        values.toSorted(),
        found &&
          declaredParameters(found.root)
            .map((each) => each.name)
            .toSorted(),
      );
    });
  }
});
