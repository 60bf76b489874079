import assert from "node:assert/strict";
import type { Node } from "web-tree-sitter";
import { parseStepResult } from "../../../components/windows/step-result.ts";
import type { StepName } from "../../../components/windows/step-parameters.ts";
import { functions, nodes, scripts, steps, type StepScript } from "./step-scripts.ts";
import { stepFacts } from "./windows-node-mocks.ts";

/** Keys of a hash literal, without those of literals in it. */
function keys(literal: Node): string[] {
  return nodes(literal, "hash_entry")
    .filter((entry) => nearest(entry, "hash_literal_expression")?.equals(literal))
    .map((entry) => /^\s*([A-Za-z]+)\s*=/.exec(entry.text)?.[1] ?? entry.text);
}

function nearest(node: Node, type: string): Node | undefined {
  let current = node.parent;
  while (current && current.type !== type) current = current.parent;
  return current ?? undefined;
}

/** Names of facts a step reports: in the literal that becomes its result, and added to it by name. */
function reportedFacts(step: StepScript): string[] {
  const calls = nodes(step.root, "command").filter((command) =>
    command.text.startsWith("New-StepResult"),
  );
  assert.equal(calls.length, 1, `${step.name} has one result`);
  const [call] = calls;
  const literal = call && nodes(call, "hash_literal_expression")[0];
  if (literal) return keys(literal);
  assert.match(call?.text ?? "", /-Facts \$facts\b/);
  const assigned = nodes(step.root, "assignment_expression").filter((node) =>
    /^\$facts\s*=/.test(node.text),
  );
  const first = assigned.flatMap((node) => nodes(node, "hash_literal_expression"));
  const added = [...step.text.matchAll(/\$facts(?:\.|\[')([A-Za-z]+)(?:'\])?\s*=/g)];
  return [...first.flatMap(keys), ...added.map((match) => match[1] ?? "")];
}

/** Names behind "Facts:" in a step's help. */
function documentedFacts(step: StepScript): string[] {
  const text = /Facts: ([^]*?)\n\n/.exec(step.text)?.[1] ?? "";
  return text.replace(/\([^)]*\)|\b(and|after|a|reboot)\b/g, "").match(/\w+/g) ?? [];
}

describe("results of step scripts", () => {
  const frame = scripts.find((script) => script.file === "lib/Step.ps1") ?? assert.fail();
  const invoke = functions(frame).get("Invoke-Step") ?? assert.fail();
  const lines = nodes(invoke, "command")
    .filter((command) => command.text.startsWith("Write-JsonLine"))
    .map((command) => nodes(command, "hash_literal_expression"));

  const values: Readonly<Record<string, unknown>> = {
    step: "Join-Node",
    changed: true,
    rebootRequired: false,
    seconds: 1,
    facts: {},
    error: {},
    code: "JoinFailed",
    message: "It failed.",
    remedy: "Try again.",
  };
  const filled = (literal: Node | undefined): Record<string, unknown> =>
    Object.fromEntries((literal ? keys(literal) : []).map((key) => [key, values[key]]));

  it("have the very fields that the pipeline reads", () => {
    const [success] = lines[0] ?? [];
    const line = filled(success);
    assert.equal(Object.keys(line).length, 5);
    assert.deepEqual(parseStepResult("Join-Node", "win-1", JSON.stringify(line)), line);
  });

  it("say of a failure what the pipeline reads", () => {
    const [failure, error] = lines[1] ?? [];
    const line = { ...filled(failure), error: filled(error) };
    assert.throws(
      () => parseStepResult("Join-Node", "win-1", JSON.stringify(line)),
      /^Error: Join-Node on win-1 failed \(JoinFailed\): It failed\. Try again\.$/,
    );
  });

  for (const step of steps) {
    it(`${step.name} reports the facts that its help names`, () => {
      assert.deepEqual(reportedFacts(step).toSorted(), documentedFacts(step).toSorted());
    });
  }

  // The mocks give a node these facts and no others, so what else it would read is missed there.
  for (const [name, facts] of Object.entries(stepFacts)) {
    it(`${name} reports what the pipeline reads: ${Object.keys(facts).join(", ")}`, () => {
      const step = steps.find((each) => each.name === (name as StepName)) ?? assert.fail(name);
      const reported = reportedFacts(step);
      assert.deepEqual(
        Object.keys(facts).filter((fact) => !reported.includes(fact)),
        [],
      );
    });
  }
});
