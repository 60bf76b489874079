/** Whole steps make the calls, the output and the files that were recorded on a real PowerShell. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { newFolder } from "../new-folder.ts";
import { layOut } from "./recorded-files.ts";
import { normalised, runTrace } from "./recorded-steps.ts";

const recordings = join(newFolder(), "traces");
const steps = join(import.meta.dirname, "../../../components/windows/steps");

/**
 * Where the recording, of PowerShell 7, has something else than Windows PowerShell 5.1, or than the interpreter; by trace:
 * what was recorded, and what comes instead.
 */
const differences: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  "Export-NodeLog/01-logs": events(),
  "Export-NodeLog/02-errors": events(),
  // The file is replaced now, and no more written in its place: Windows names no file then.
  "Set-HostsEntry/05-busy-file": [
    [
      "could not be written in 10 s: The process cannot access the file 'C:\\\\windows\\\\System32\\\\drivers\\\\etc\\\\hosts' because",
      "could not be written in 10 s: The process cannot access the file because",
    ],
  ],
  "start/03-errors": [
    [
      "The file C:\\var\\lib\\kube-proxy\\kubeconfig.conf cannot be read: Could not find a part of the path " +
        "'C:\\var\\lib\\kube-proxy\\kubeconfig.conf'.",
      'Exception calling "ReadAllText" with "1" argument(s): "Could not find a part of the path ' +
        "'C:\\var\\lib\\kube-proxy\\kubeconfig.conf'.\"",
    ],
  ],
  "functions/04-machine": [
    [
      "The input is not a valid Base-64 string as it contains a non-base 64 character, " +
        "more than two padding characters, or an illegal character among the padding characters.",
      "The input is not a valid Base-64 string.",
    ],
  ],
};

/** What all steps do otherwise since the recordings. */
const everywhere: readonly (readonly [string, string])[] = [
  [
    "Free space on drive C:, then run again",
    "Free space on the drive that is full, C: as a rule, then run again",
  ],
];

/**
 * A value that came down a pipeline `-is [pscustomobject]` in PowerShell, whatever it is, and the recordings write it as
 * one: the interpreter does not wrap values. And the text for a command that is not there is 5.1's.
 */
function events(): readonly (readonly [string, string])[] {
  return [
    ["@([], [], [], [], [], [])", "@(1074, 1076, 2004, 6005, 6006, 6008)"],
    ["@([], [])", "@(1, 2)"],
    [
      "as a name of a cmdlet, function, script file, or executable program.\\nCheck",
      "as the name of a cmdlet, function, script file, or operable program. Check",
    ],
  ];
}

/** Use what no script of the project uses. */
const refused: Readonly<Record<string, RegExp>> = {
  "functions/03-json-line": /the type \[decimal\]/,
};

const traces = [...layOut("traces", recordings)].flatMap(([name, { out }]) =>
  out === undefined ? [] : [{ name, out }],
);

describe("the interpreter, on steps that a real PowerShell has run", () => {
  it("finds the recordings", () => {
    assert.ok(traces.length > 50);
    assert.ok(
      [...Object.keys(differences), ...Object.keys(refused)].every((name) =>
        traces.some((each) => each.name === name),
      ),
    );
  });

  for (const { name, out } of traces) {
    it(name, async () => {
      const actual = await runTrace(join(recordings, `${name}.ps1`), recordings, steps);
      const unknown = refused[name];
      if (unknown) {
        assert.match(actual, unknown);
        return;
      }
      let expected = normalised(out);
      for (const [was, is] of [...everywhere, ...(differences[name] ?? [])]) {
        expected = expected.replaceAll(was, is);
      }
      assert.equal(actual, expected);
    });
  }
});
