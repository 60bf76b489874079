import assert from "node:assert/strict";
import { stepParameters } from "../../../components/windows/step-parameters.ts";
import { rules, stepRules } from "./powershell-rules.ts";
import { checkRules } from "./script-checks.ts";
import {
  parsePowerShell,
  scripts,
  steps,
  withDotSourced,
  type StepScript,
} from "./step-scripts.ts";

describe("step scripts", () => {
  checkRules(scripts);

  it("each show no progress bars, which end in errors over SSH", () => {
    const silent = "\n$ProgressPreference = 'SilentlyContinue'\n";
    assert.deepEqual(
      steps.filter((step) => !step.text.includes(silent)).map((step) => step.file),
      [],
    );
  });

  it("are all there: the steps and their library", () => {
    assert.equal(steps.length, Object.keys(stepParameters).length);
    const used = new Set(steps.flatMap((step) => withDotSourced(step).map((each) => each.file)));
    assert.deepEqual([...used].toSorted(), scripts.map((script) => script.file).toSorted());
  });
});

describe("the rules for step scripts", () => {
  const script = (text: string): StepScript => ({
    file: "Bad.ps1",
    name: "Bad",
    isStep: true,
    text,
    root: parsePowerShell(text),
  });
  const all = { ...rules, ...stepRules };
  const bad: readonly (readonly [keyof typeof all, string])[] = [
    ["has no syntax error", "if ($true { }"],
    ["is strict and stops at errors", "\nSet-StrictMode -Version Latest\n"],
    [
      "calls blocks it was given, and nothing else, by the call operator",
      "& 'C:\\k\\kubeadm.exe' reset",
    ],
    ["knows no address without encryption", "$uri = 'http://example.com'"],
    [
      "leaves standard input to the console: PowerShell swallows it for $input",
      "$text = @($input)",
    ],
    [
      "ignores errors only where the question is whether something is there",
      "Remove-Item -Path x -ErrorAction SilentlyContinue",
    ],
    [
      "tells each function of Windows' modules what to do at an error: $ErrorActionPreference does not reach them",
      "Start-ScheduledTask -TaskName 'x'",
    ],
    ["names functions by an approved verb and a noun", "function Fetch-It {\n}\n"],
    [
      "is plain ASCII: Windows PowerShell 5.1 reads anything else by the machine's code page",
      "# Gr\u00fc\u00dfe",
    ],
    ["has lines of at most 120 characters, patterns aside", `# ${"x".repeat(120)}`],
    [
      "starts programs in lib/NativeCommand.ps1 only, which looks at the exit code",
      "Start-Process -FilePath x",
    ],
    ...["sc.exe stop kubelet", "gci C:\\", "Invoke-Expression -Command $true", "Get-Nothing"].map(
      (text) =>
        [
          "calls functions it has dot-sourced and known cmdlets: no aliases, no programs, no Invoke-Expression",
          text,
        ] as const,
    ),
    ["reads only variables that are set somewhere: strict mode stops at others", "$a = $b"],
    [
      "gives no function a block that reads a variable which that function has too: it would read the function's",
      "function Wait-It {\nparam([string] $Name, [scriptblock] $Ready)\n& $Ready\n}\nWait-It -Name 'a' -Ready { $Name }\n",
    ],
  ];

  for (const [rule, text] of bad) {
    it(`notice: ${text.trim().slice(0, 60)}`, () => {
      assert.notDeepEqual(all[rule]?.(script(text)), []);
    });
  }
});
