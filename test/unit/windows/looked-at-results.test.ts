import assert from "node:assert/strict";
import type { Node } from "web-tree-sitter";
import { functions, nodes, parsePowerShell, scripts } from "./step-scripts.ts";

/** Calls whose failure is a value and no error: what nobody looks at is lost. */
function ignoredResults(root: Node): string[] {
  const found: string[] = [];
  for (const call of nodes(root, "command")) {
    const name = nodes(call, "command_name")[0]?.text;
    if (name === "Invoke-CimMethod") {
      const variable = assignedTo(call);
      const scope = enclosing(call, "function_statement") ?? root;
      if (variable === undefined || !new RegExp(`\\${variable}\\.ReturnValue`).test(scope.text)) {
        found.push(call.text);
      }
    }
  }
  // What PowerShell calls by itself sets this, and nothing reads it unless it is read at once: not used at all.
  found.push(...nodes(root, "variable").flatMap((node) => lastExitCode(node.text)));
  return found;
}

function lastExitCode(variable: string): string[] {
  return /^\$(LASTEXITCODE|\?)$/i.test(variable) ? [variable] : [];
}

function assignedTo(call: Node): string | undefined {
  const assignment = enclosing(call, "assignment_expression");
  return assignment && nodes(assignment, "variable")[0]?.text;
}

function enclosing(node: Node, type: string): Node | undefined {
  let current = node.parent;
  while (current && current.type !== type) current = current.parent;
  return current ?? undefined;
}

describe("results of what step scripts call", () => {
  for (const script of scripts) {
    it(`${script.file} looks at each`, () => {
      assert.deepEqual(ignoredResults(script.root), []);
    });
  }

  it("Invoke-NativeCommand refuses every exit code that was not asked for", () => {
    const script = scripts.find((each) => each.file === "lib/NativeCommand.ps1");
    const text = (script && functions(script).get("Invoke-NativeCommand")?.text) ?? assert.fail();
    assert.match(text, /\[int\[\]\] \$SuccessExitCodes = @\(0\)/);
    assert.match(
      text,
      /if \(\$SuccessExitCodes -notcontains \$process\.ExitCode\) \{\s+Stop-Step -Code \$FailureCode/,
    );
  });

  const ignored = [
    "Invoke-CimMethod -InputObject $a -MethodName Change",
    "$null = Invoke-CimMethod -InputObject $a -MethodName Change",
    "$answer = Invoke-CimMethod -InputObject $a -MethodName Change",
    "if ($LASTEXITCODE -ne 0) { 1 }",
    "if (-not $?) { 1 }",
  ];
  for (const text of ignored) {
    it(`are seen to be ignored in: ${text}`, () => {
      assert.notDeepEqual(ignoredResults(parsePowerShell(`${text}\n`)), []);
    });
  }
});
