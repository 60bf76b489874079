import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import { defaultContainerdVersion, kubernetesVersions } from "../../../config/supported.ts";
import { declaredParameters, nodes, parsePowerShell, steps } from "./step-scripts.ts";

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
