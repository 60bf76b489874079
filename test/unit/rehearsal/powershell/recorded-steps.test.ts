/** Whole steps make the calls, the output and the files that were recorded on a real PowerShell. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { newFolder } from "../../new-folder.ts";
import { layOut, normalised } from "./recorded-files.ts";
import { runTrace } from "./recorded-steps.ts";
import { onWindowsPowerShell } from "./windows-powershell.ts";

const recordings = join(newFolder(), "traces");
const steps = join(import.meta.dirname, "../../../../components/windows/steps");

/** Use what no script of the project uses. */
const refused: Readonly<Record<string, RegExp>> = {
  "functions/03-json-line": /the type \[DayOfWeek\]/,
};

const traces = [...layOut("traces", recordings)].flatMap(([name, { out }]) =>
  out === undefined ? [] : [{ name, out }],
);

describe("the interpreter, on steps that a real PowerShell has run", () => {
  it("finds the recordings", () => {
    assert.ok(traces.length > 50);
    assert.ok(Object.keys(refused).every((name) => traces.some((each) => each.name === name)));
  });

  for (const { name, out } of traces) {
    it(name, async () => {
      const actual = await runTrace(join(recordings, `${name}.ps1`), recordings, steps);
      const unknown = refused[name];
      if (unknown) {
        assert.match(actual, unknown);
        return;
      }
      assert.equal(actual, normalised(onWindowsPowerShell(out, name)));
    });
  }
});
