import assert from "node:assert/strict";
import { nodes, reachable, scripts, steps, type StepScript } from "./step-scripts.ts";

const table = new Map(
  [
    ...(scripts.find((script) => script.name === "ExitCodes")?.text ?? "").matchAll(
      /^ {4}(\w+)\s*= (\d+)$/gm,
    ),
  ].map((match) => [match[1] ?? "", Number(match[2])]),
);

/** What every step can end with, by its frame. */
const always = ["Unexpected", "StepBusy", "NotAdministrator", "DiskFull"];

/** Kinds of error named in anything that can run in a step. */
function reachableCodes(step: StepScript): string[] {
  const named = reachable(step)
    .flatMap((node) => nodes(node, "string_literal"))
    .map((literal) => literal.text.slice(1, -1))
    .filter((text) => table.has(text));
  return [...new Set([...always, ...named])];
}

describe("exit codes of step scripts", () => {
  it("are distinct, and none is one of PowerShell's own", () => {
    assert.ok(table.size > 20);
    assert.equal(new Set(table.values()).size, table.size);
    assert.ok([...table.values()].every((code) => code > 9 && code < 256));
  });

  for (const step of steps) {
    it(`${step.file} documents those it can end with, and no others`, () => {
      const notes =
        /^Exit codes: ([\s\S]*?)\n#>/m.exec(step.text)?.[1]?.replaceAll("\n", " ") ?? "";
      const expected = reachableCodes(step).map((code) => `${table.get(code)} ${code}`);
      const documented = notes
        .replace(/\.$/, "")
        .split("; ")
        .map((entry) => entry.replace(/ \(.*\)$/, ""));
      assert.deepEqual(
        documented.toSorted(),
        ["0 done", "1 a parameter was rejected", ...expected].toSorted(),
      );
    });
  }
});
