import assert from "node:assert/strict";
import type { Node } from "web-tree-sitter";
import { declaredParameters, functions, nodes, scripts } from "./step-scripts.ts";

const declared = new Map(
  scripts
    .flatMap((script) => [...functions(script)])
    .map(([name, node]) => [name, declaredParameters(node)]),
);

/** Names after the dashes of a call, as written. */
function passedNames(command: Node): string[] {
  const own = command.children.find((child) => child?.type === "command_elements");
  return (own?.children ?? [])
    .filter((child) => child?.type === "command_parameter")
    .map((child) => child?.text.slice(1) ?? "");
}

describe("calls between step scripts", () => {
  for (const script of scripts) {
    const calls = nodes(script.root, "command").filter((command) =>
      declared.has(nodes(command, "command_name")[0]?.text ?? ""),
    );
    if (calls.length === 0) continue;

    it(`${script.file} passes parameters that exist, and all that are mandatory`, () => {
      for (const call of calls) {
        const name = nodes(call, "command_name")[0]?.text ?? "";
        const parameters = declared.get(name) ?? [];
        const passed = passedNames(call);
        const where = `${name}, line ${call.startPosition.row + 1}`;
        assert.deepEqual(
          passed.filter((each) => !parameters.some((parameter) => parameter.name === each)),
          [],
          `${where}: unknown parameters`,
        );
        assert.deepEqual(
          parameters
            .filter((parameter) => parameter.mandatory && !passed.includes(parameter.name))
            .map((parameter) => parameter.name),
          [],
          `${where}: missing parameters`,
        );
      }
    });
  }
});
