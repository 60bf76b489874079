import assert from "node:assert/strict";

import { quoteArgument, splitArguments } from "../../../rehearsal/host/cmd/argv.ts";
import {
  CommandLineError,
  longestCommand,
  parseCommandLine,
} from "../../../rehearsal/host/cmd/command-line.ts";
import { InvocationError, parseInvocation } from "../../../rehearsal/host/powershell/invocation.ts";

const variables = { SystemRoot: "C:\\Windows", USERNAME: "administrator" };

const accepted: readonly (readonly [text: string, program: string, rest: string])[] = [
  ["hostname", "hostname", ""],
  ["  ver  ", "ver", ""],
  ["echo  two  blanks", "echo", "two  blanks"],
  ['"C:\\Program Files\\a.exe" -x', "C:\\Program Files\\a.exe", "-x"],
  ["%systemroot%\\System32\\hostname.exe", "C:\\Windows\\System32\\hostname.exe", ""],
  ["echo %NOBODY% %USERNAME%", "echo", "%NOBODY% administrator"],
  ["echo 50%", "echo", "50%"],
  ["echo a^&b ^^", "echo", "a&b ^"],
  ['echo "a & b | c > d ^"', "echo", '"a & b | c > d ^"'],
  ['powershell -File x.ps1 -A "a;b"', "powershell", '-File x.ps1 -A "a;b"'],
];

const refused: readonly (readonly [name: string, text: string, message: RegExp])[] = [
  ["a chain", "ver & hostname", /one command at a time: '&'/],
  ["a condition", "ver && hostname", /'&'/],
  ["a pipe", "type x | more", /'\|'/],
  ["an output redirection", "ver > x", /'>'/],
  ["an input redirection", "more < x", /'<'/],
  ["a group", "(ver)", /'\('/],
  ["two lines", "ver\nhostname", /newline/],
  ["a quote that hides nothing", 'echo "a" & b', /'&'/],
  ["8192 characters", `echo ${"x".repeat(longestCommand - 4)}`, /^The command line is too long\.$/],
];

describe("cmd.exe /c", () => {
  for (const [text, program, rest] of accepted) {
    it(`takes ${text}`, () => {
      assert.deepEqual(parseCommandLine(text, variables), { program, rest });
    });
  }

  it("takes 8191 characters", () => {
    const text = `echo ${"x".repeat(longestCommand - 5)}`;
    assert.equal(parseCommandLine(text, {}).rest.length, longestCommand - 5);
  });

  for (const [name, text, message] of refused) {
    it(`refuses ${name}`, () => {
      assert.throws(
        () => parseCommandLine(text, variables),
        (error) => error instanceof CommandLineError && message.test(error.message),
      );
    });
  }
});

// Among them the examples of Microsoft's "Parsing C command-line arguments".
const lines: readonly (readonly [line: string, expected: readonly string[]])[] = [
  ["", []],
  ["   ", []],
  ["a b\tc", ["a", "b", "c"]],
  ['"abc" d e', ["abc", "d", "e"]],
  ['a\\\\b d"e f"g h', ["a\\\\b", "de fg", "h"]],
  ['a\\\\\\"b c d', ['a\\"b', "c", "d"]],
  ['a\\\\\\\\"b c" d e', ["a\\\\b c", "d", "e"]],
  ['a"b"" c d', ['ab" c d']],
  ['-Entry ""', ["-Entry", ""]],
  ['""', [""]],
  ["C:\\k\\ x", ["C:\\k\\", "x"]],
  ['"C:\\Program Files\\x.ps1" -A "b c"', ["C:\\Program Files\\x.ps1", "-A", "b c"]],
];

describe("Windows command lines", () => {
  for (const [line, expected] of lines) {
    it(`splits ${JSON.stringify(line)}`, () => {
      assert.deepEqual(splitArguments(line), expected);
    });
  }

  for (const argument of ["a", "", "a b", 'say "hi"', "ends\\", "ends \\", 'a\\"b', "tab\there"]) {
    it(`quotes ${JSON.stringify(argument)} so that it comes back`, () => {
      const line = `x ${quoteArgument(argument)} y`;
      assert.deepEqual(splitArguments(line), ["x", argument, "y"]);
    });
  }
});

const script = "C:\\steps\\A.ps1";

const noPowerShell = /has no PowerShell and runs only the step scripts/;

describe("powershell.exe", () => {
  const accepted: readonly (readonly string[])[] = [
    ["-File", script, "-X", "1"],
    ["-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-File", script, "-X", "1"],
    ["-nop", "-noni", "-ep", "bypass", "-f", script, "-X", "1"],
    ["/NoLogo", "-ex", "RemoteSigned", "-fi", script, "-X", "1"],
    ["-Version", "5.1", "-InputFormat", "Text", "-File", script, "-X", "1"],
  ];
  const refused: readonly (readonly [
    args: readonly string[],
    message: RegExp,
    exitCode: number,
  ])[] = [
    [[], noPowerShell, 1],
    [["-Command", "Get-Service"], noPowerShell, 1],
    [["Get-Service"], noPowerShell, 1],
    [["-EncodedCommand", "AAAA"], noPowerShell, 1],
    [["-NoProfile", "-c", "exit 0"], noPowerShell, 1],
    [["-Nonsense", "-File", script], noPowerShell, 1],
    [["-File"], /requires a file path/, 1],
    [["-File", "C:\\x.txt"], /does not have a '\.ps1' extension/, 0xfffd0000],
    [["-ExecutionPolicy"], /requires an argument/, 1],
    [["-ExecutionPolicy", "Restricted", "-File", script], /not signed/, 1],
    [["-ExecutionPolicy", "Sometimes", "-File", script], /Cannot convert value "Sometimes"/, 1],
  ];

  for (const args of accepted) {
    it(`takes ${args.join(" ")}`, () => {
      assert.deepEqual(parseInvocation(args), { script, args: ["-X", "1"] });
    });
  }

  for (const [args, message, exitCode] of refused) {
    it(`refuses ${args.join(" ") || "no arguments"}`, () => {
      assert.throws(
        () => parseInvocation(args),
        (error) =>
          error instanceof InvocationError &&
          message.test(error.message) &&
          error.exitCode === exitCode,
      );
    });
  }
});
