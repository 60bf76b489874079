import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";

import { artifactPath } from "../../../../components/windows/media-folder.ts";
import { sealCommand } from "../../../../images/windows/builder/seal-image.ts";
import {
  type Arguments,
  type WindowsShell,
  inShell,
  powerShellCommand,
  quoteForCmd,
  scriptCommand,
  shellFrom,
} from "../../../../host/ssh/windows-command.ts";
import { unpackCommand } from "../../../../components/windows/steps-copy.ts";
import { parseStepResult, textFact } from "../../../../components/node/step-result.ts";
import {
  enableContainersFeature,
  exportNodeLog,
  resetNode,
  setHostsEntry,
  setMachineProxy,
} from "../../../../components/windows/steps.ts";
import { splitArguments } from "../../../../rehearsal/machine/cmd/arguments.ts";
import { eachCase } from "../../each-case.ts";
import { newFolder } from "../../new-folder.ts";
import { parseCommandLine } from "../../../../rehearsal/machine/cmd/shell.ts";

const folder = "C:\\kindows\\steps\\0123456789ab";
const folderWithQuote = "C:\\it's";
const variables = { TEMP: "C:\\Temp", a: "replaced" };

describe("quoting for cmd.exe", () => {
  const url = "https://dl.k8s.io/v1.36.4/bin/windows/amd64/kubelet.exe";
  const pipe = "npipe:////./pipe/containerd-containerd";
  const exact: readonly (readonly [string, string])[] = [
    ...["win-1", "192.168.150.10", url, pipe].map((plain) => [plain, plain] as const),
    ["", '""'],
    ["C:\\Program Files\\containerd", '"C:\\Program Files\\containerd"'],
    ["a=1;b=2", '"a=1;b=2"'],
    ["a=b,c=d", '"a=b,c=d"'],
    ["100%", '"100"^%""'],
  ];
  for (const [value, quoted] of exact) {
    it(`writes ${JSON.stringify(value)} as ${quoted}`, () =>
      assert.equal(quoteForCmd(value), quoted));
  }

  const nasty = [
    ...["", " ", "a b", "a & calc.exe", "a|b", "a>b<c", "a^b", "(a)"],
    ...["a;b,c=d", "!a!", "'a'", "`a`"],
    ...["%TEMP%", "%a%%TEMP%", "50%", "%%", "$(a)", "@a", "a*?b", "{a}[b]~", "#a", "/c del"],
    ...["a\\", "a b\\", "a b\\\\", "\\\\server\\share name\\", "a\\%TEMP%\\"],
  ];
  for (const value of nasty) {
    it(`carries ${JSON.stringify(value)} to the script unchanged`, () => {
      const command = `x.exe -Name ${quoteForCmd(value)} -Last 1`;
      const { rest } = parseCommandLine(command, variables);
      assert.deepEqual(splitArguments(rest), ["-Name", value, "-Last", "1"]);
    });
  }

  const refused: readonly (readonly [string, RegExp])[] = [
    ['a"b', /double quote/],
    ...["a\nb", "a\rb", "a\tb", "a\0b", "\x7f"].map(
      (value) => [value, /control character/] as const,
    ),
    ["ä", /beyond ASCII/],
    ["\u2013Name", /beyond ASCII/],
    ["-Name", /begins with a dash/],
  ];
  for (const [value, message] of refused) {
    it(`refuses ${JSON.stringify(value)}`, () => assert.throws(() => quoteForCmd(value), message));
  }
});

describe("commands of steps", () => {
  it("name the script and each parameter, in the order of its list", () => {
    assert.equal(
      scriptCommand(folder, setMachineProxy, {
        NoProxy: "localhost,.svc",
        HttpsProxy: "http://proxy.example.com:3128",
        HttpProxy: "",
      }),
      "powershell.exe -NoProfile -NonInteractive -ExecutionPolicy Bypass " +
        `-File ${folder}\\Set-MachineProxy.ps1 -HttpProxy "" -HttpsProxy http://proxy.example.com:3128 ` +
        '-NoProxy "localhost,.svc"',
    );
    const path = artifactPath("a".repeat(64), "containerd-2.4.2-windows-amd64.tar.gz");
    assert.equal(
      quoteForCmd(path),
      `C:\\kindows\\media\\${"a".repeat(64)}\\containerd-2.4.2-windows-amd64.tar.gz`,
    );
    assert.match(scriptCommand(folder, exportNodeLog, { TailKiB: 1024 }), / -TailKiB 1024$/);
  });

  const entry = (length: number): Arguments<typeof setHostsEntry.parameters> => ({
    Entry: "a".repeat(length),
    DnsServers: "",
  });
  const overhead =
    '"C:\\Windows\\System32\\cmd.exe" /d /s /c ""'.length +
    scriptCommand(folder, setHostsEntry, entry(1)).length -
    1;

  it("may fill cmd.exe's 8191 characters", () =>
    assert.doesNotThrow(() => scriptCommand(folder, setHostsEntry, entry(8191 - overhead))));

  it("may not be one character longer; the error names the step, the limit and the longest parameter", () =>
    assert.throws(
      () => scriptCommand(folder, setHostsEntry, entry(8192 - overhead)),
      /^Error: Set-HostsEntry: the command is 8192 characters long, cmd\.exe takes 8191; shorten Entry/,
    ));

  const wrong: readonly (readonly [string, () => string, RegExp])[] = [
    [
      "a value that can't be carried, without repeating it",
      () => scriptCommand(folder, setHostsEntry, { Entry: 'se"cret', DnsServers: "" }),
      /^Error: Set-HostsEntry: parameter Entry can't be passed on a command line: it contains a double quote$/,
    ],
    ...[1.5, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60].map(
      (number) =>
        [
          `the number ${number}`,
          () => scriptCommand(folder, enableContainersFeature, { RebootDelaySeconds: number }),
          /RebootDelaySeconds can't be passed.*not a non-negative integer/,
        ] as const,
    ),
    [
      "a value that is missing",
      () =>
        scriptCommand(folder, resetNode, { TimeoutSeconds: 30 } as Arguments<
          typeof resetNode.parameters
        >),
      /CriSocket can't be passed.*not text/,
    ],
  ];
  for (const [what, make, message] of wrong) {
    it(`refuse ${what}`, () => assert.throws(make, message));
  }
});

/** How the shells answer the question, on real machines: a profile may write something before. */
const answers: Readonly<Record<string, WindowsShell>> = {
  "$0 C:\\Windows\\system32\\cmd.exe\r\n": "cmd",
  "%ComSpec%\r\n": "powershell",
  "Welcome.\r\n\r\n%ComSpec%\r\n": "powershell",
  "/usr/bin/bash %ComSpec%\n": "bash",
  "C:\\Program Files\\Git\\bin\\bash.exe %ComSpec%\n": "bash",
};

describe("the shell that sshd starts", () => {
  eachCase("is known by its answer: %s", answers, (shell, answer) =>
    assert.equal(shellFrom(answer), shell),
  );
  eachCase(
    "is refused, with what to do: %s",
    { "": "nothing", "> who?": "> who\\?" },
    (shown, answer) =>
      assert.throws(
        () => shellFrom(answer),
        new RegExp(
          `does not know \\(echo \\$0 %ComSpec% prints ${shown}\\)\\. Have it start cmd\\.exe: .*DefaultShell`,
        ),
      ),
  );

  it("gets the very text for cmd.exe, from a real Bash", () => {
    const folder = newFolder();
    // Stands in for powershell.exe and prints its arguments.
    const program = path.join(folder, "powershell.exe");
    writeFileSync(program, '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 });
    const text = scriptCommand(folderWithQuote, setHostsEntry, {
      Entry: "a=1;$b `c` \\",
      DnsServers: "100%",
    });
    const printed = execFileSync("bash", ["--norc", "--noprofile", "-c", inShell("bash", text)], {
      encoding: "utf8",
      env: { PATH: `${folder}:${process.env["PATH"] ?? ""}` },
    });
    assert.equal(printed.trimEnd().split("\n").at(-1), inShell("powershell", text));
  });

  it("is PowerShell: quotes within are doubled, and the exit code is the command's", () =>
    assert.equal(
      inShell("powershell", "echo it's"),
      "cmd.exe /d /s /c 'echo it''s'; exit $LASTEXITCODE",
    ));

  it("is cmd.exe, which gets the command as it is", () =>
    assert.equal(inShell("cmd", "echo it's"), "echo it's"));
});

describe("lines of PowerShell", () => {
  it("begin with preferences that the modules of Windows see", () =>
    assert.match(
      powerShellCommand("Get-Disk"),
      /^powershell\.exe .* -Command "\$global:ErrorActionPreference = 'Stop'; \$global:ProgressPreference = 'SilentlyContinue'; Get-Disk"$/,
    ));

  eachCase(
    "refuse what cmd.exe would change: %s",
    { 'a "b"': /double quote/, "%TEMP%": /percent/, "a\nb": /control character/ },
    (message, text) => assert.throws(() => powerShellCommand(text), message),
  );

  it("end every command of an image's build and of the copy of the steps alike", () => {
    const whole = powerShellCommand("").slice(0, -1);
    for (const command of [
      sealCommand,
      unpackCommand("a.tar").replace(/^.*(?= && powershell) && /, ""),
    ]) {
      assert.ok(command.startsWith(whole), command);
    }
  });
});

const good = {
  step: "Confirm-Reboot",
  changed: true,
  rebootRequired: false,
  seconds: 1.2,
  facts: { featureState: "Enabled" },
};
const line = (change: object = {}): string => JSON.stringify({ ...good, ...change });
const parse = (stdout: string): unknown => parseStepResult("Confirm-Reboot", "win-1", stdout);

describe("results of steps", () => {
  for (const [what, stdout] of [
    ["alone", line()],
    ["with a line end of Windows", `${line()}\r\n`],
    ["after other lines", `some text\r\n{"half": \r\n${line()}\r\n`],
    ["with blank lines behind", `${line()}\n\n \n`],
  ] as const) {
    it(`are read from the last line, ${what}`, () => assert.deepEqual(parse(stdout), good));
  }

  const error = { code: "RebootNotDone", message: "Still up.", remedy: "Wait." };
  const without =
    /^Error: Confirm-Reboot on win-1 ended without a result: .* is nothing\. Log in to win-1/;
  const wrong: readonly (readonly [string, string, RegExp])[] = [
    ["nothing", "", without],
    ["text", "The term 'x' is not recognized", /'The term 'x' is not recognized'/],
    ...[
      "1",
      "null",
      "[]",
      ...[{ facts: undefined }, { changed: "true" }, { extra: 1 }].map(line),
    ].map((stdout) => [stdout, stdout, /ended without a result/] as const),
    ["a result that is not last", `${line()}\nbye`, /'bye'/],
    ["another step's result", line({ step: "Join-Node" }), /is from Join-Node.*run again/],
    [
      "a failure",
      JSON.stringify({ step: "Confirm-Reboot", error }),
      /^Error: Confirm-Reboot on win-1 failed \(RebootNotDone\): Still up\. Wait\.$/,
    ],
  ];
  for (const [what, stdout, message] of wrong) {
    it(`are not made of ${what}`, () => assert.throws(() => parse(stdout), message));
  }

  it("keep an endless last line out of the error", () =>
    assert.throws(
      () => parse("x".repeat(100_000)),
      ({ message }: Error) => message.length < 500,
    ));

  it("give facts as text, and miss those that are not there", () => {
    assert.equal(textFact(good, "featureState"), "Enabled");
    assert.throws(() => textFact(good, "version"), /Confirm-Reboot reported no version/);
  });
});
