import assert from "node:assert/strict";
import { checkFunctionHelp } from "./script-checks.ts";
import { declaredParameters, scripts, steps } from "./step-scripts.ts";

/** Sections `.PARAMETER name` of a help comment, by name. */
function documented(help: string): Map<string, string> {
  return new Map(
    [...help.matchAll(/^\.PARAMETER (\w+)\n([\s\S]*?)(?=^\.|^#>)/gm)].map((match) => [
      match[1] ?? "",
      match[2] ?? "",
    ]),
  );
}

describe("help of step scripts", () => {
  for (const step of steps) {
    const help = step.text.slice(0, step.text.indexOf("#>") + 2);
    const parameters = declaredParameters(step.root);

    it(`${step.file} says what it does, what it takes, what it returns and how it fails`, () => {
      for (const section of ["SYNOPSIS", "DESCRIPTION", "OUTPUTS", "NOTES"]) {
        assert.match(help, new RegExp(`^\\.${section}\\n\\S`, "m"));
      }
      assert.deepEqual(
        [...documented(help).keys()],
        parameters.map((parameter) => parameter.name),
      );
    });

    it(`${step.file} says every default as it is declared`, () => {
      for (const { name, mandatory, defaultText } of parameters) {
        const text = documented(help).get(name)?.replaceAll("\n", " ") ?? "";
        const expected = mandatory
          ? "Default: none, mandatory"
          : `Default: ${defaultText === "''" ? "empty" : defaultText?.replaceAll("'", "")}`;
        assert.ok(text.includes(expected), `${name}: '${expected}' is not in its help`);
      }
    });

    it(`${step.file} declares types and limits of all it takes`, () => {
      assert.match(step.text, /^\[CmdletBinding\(\)\]\nparam\(/m);
      for (const { name, type, attributes } of parameters) {
        assert.ok(["string", "int"].includes(type), `${name} has the type ${type}`);
        assert.ok(
          attributes.some((attribute) => attribute.startsWith("[Validate")),
          `${name} has no validation`,
        );
      }
    });
  }

  checkFunctionHelp(scripts);
});
