import assert from "node:assert/strict";
import {
  CommandLineError,
  longestCommand,
  parseCommandLine,
} from "../../../rehearsal/host/cmd/command-line.ts";

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
