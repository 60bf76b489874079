/** Small scripts give what a real PowerShell gave, or are refused by the name of what the interpreter does not know. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { newInterpreter } from "../../../../rehearsal/powershell/new-interpreter.ts";
import { shown } from "../../../../rehearsal/powershell/cmdlets/objects.ts";
import { types as coreTypes, Types } from "../../../../rehearsal/powershell/types.ts";
import { Unsupported } from "../../../../rehearsal/powershell/values.ts";
import { fileItems } from "../../../../rehearsal/windows/file-items.ts";
import { defineMachineTypes } from "../../../../rehearsal/windows/machine-types.ts";
import { newFolder } from "../../new-folder.ts";
import { nodeHost } from "./node-machine.ts";
import { layOut, type Recorded } from "./recorded-files.ts";
import { defineRecordedMembers } from "./recorded-members.ts";
import { onWindowsPowerShell } from "./windows-powershell.ts";

const folder = newFolder();

/** Within what the scripts use, and yet refused, with the reason. */
const refused: Readonly<Record<string, string>> = {
  "conversions-and-truth/15-method-arguments":
    "which of .NET's forms of Max and Floor takes other numbers, or texts, is not known",
  "native-commands/08-quotes-in-arguments": "5.1 does not pass them on",
  "native-commands/09-empty-argument": "5.1 does not pass it on",
  "strict-mode/04-method-of-null":
    "whether a type of .NET has not the method that is called is not known",
};

const snippets = [...layOut("snippets", folder)].flatMap(([name, { point, ...recorded }]) =>
  point === undefined ? [] : [{ name, point, recorded }],
);

/** Runs a script with its arguments and standard input; what it writes, and how it ends. */
async function run(
  script: string,
  { args = "", stdin = "" }: Omit<Recorded, "point">,
): Promise<{ output: string; errors: string; end: number | Unsupported }> {
  let output = "";
  let errors = "";
  const host = nodeHost({
    output: (text) => void (output += text),
    error: (text) => void (errors += text),
    input: () => Promise.resolve(Buffer.from(stdin)),
    folder: dirname(script),
  });
  const out = (value: Parameters<typeof shown>[0]): Promise<void> => {
    output += shown(value);
    return Promise.resolve();
  };
  const types = new Types(coreTypes);
  const interpreter = newInterpreter(host, {
    types,
    providers: (drive) => (drive === "" ? fileItems(host.files, types) : undefined),
  });
  defineMachineTypes(types, host);
  defineRecordedMembers(types, host);
  const end = await interpreter
    .runFile(script, args.split("\n").slice(0, -1), out)
    .catch((error: unknown) => {
      if (error instanceof Unsupported) return error;
      throw error;
    });
  return { output, errors, end };
}

describe("the interpreter, on scripts that a real PowerShell has run", () => {
  for (const { name, point, recorded } of snippets) {
    it(`${name}: ${point}`, async () => {
      const { output, errors, end } = await run(join(folder, `${name}.ps1`), recorded);
      const mayBeRefused = point.includes("[beyond the scripts") || name in refused;
      if (typeof end === "object" && mayBeRefused) {
        assert.match(end.message, /\.ps1:\d+: the interpreter does not support \S/);
        // An unknown property is met only when it is asked for.
        assert.ok(recorded.out?.startsWith(output), output);
        return;
      }
      assert.equal(output, onWindowsPowerShell(recorded.out ?? "", name), errors);
      assert.equal(end, recorded.code);
    });
  }

  it("refuses no more of what the scripts use than is listed", () => {
    const within = snippets.filter(({ point }) => !point.includes("[beyond the scripts"));
    assert.ok(Object.keys(refused).every((name) => within.some((each) => each.name === name)));
    assert.ok(Object.keys(refused).length / within.length < 0.03);
  });
});
