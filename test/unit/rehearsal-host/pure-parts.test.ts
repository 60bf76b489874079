import assert from "node:assert/strict";
import { parseHosts } from "../../../rehearsal/host/windows-host.ts";
import { workingProgram } from "../../../rehearsal/host/service-command.ts";

describe("The hosts file", () => {
  it("is read as Windows reads it", () => {
    const text = "# 1.2.3.4 no\r\n10.0.0.1  a b # c\r\n\r\nnonsense x\r\n10.0.0.2\r\n::1 six\n";
    assert.deepEqual(parseHosts(text), [
      { address: "10.0.0.1", names: ["a", "b"] },
      { address: "::1", names: ["six"] },
    ]);
  });
});

describe("A service's command line", () => {
  const lines: readonly (readonly [
    line: string,
    exe: string,
    args: readonly string[],
    logFile: string | undefined,
  ])[] = [
    ["C:\\x.exe", "C:\\x.exe", [], undefined],
    ['"C:\\P F\\x.exe" --run-service --a "b c"', "C:\\P F\\x.exe", ["--a", "b c"], undefined],
    [
      "C:\\k\\kube-log-runner.exe --log-file=C:/l.log --log-file-size=1 C:\\k\\kubelet.exe --windows-service --v=2 --x=",
      "C:\\k\\kubelet.exe",
      ["--v=2", "--x="],
      "C:/l.log",
    ],
    ["C:\\k\\kubelet.exe --windows-service=true", "C:\\k\\kubelet.exe", [], undefined],
  ];
  for (const [line, exe, args, logFile] of lines) {
    it(`runs ${exe} for ${line}`, () => {
      const program = workingProgram(line);
      assert.deepEqual([program.exe, program.args, program.logFile], [exe, args, logFile]);
    });
  }

  it("needs kube-log-runner itself, too", () => {
    const { files } = workingProgram("C:\\k\\kube-log-runner.exe C:\\k\\kubelet.exe");
    assert.deepEqual(files, ["C:\\k\\kube-log-runner.exe", "C:\\k\\kubelet.exe"]);
  });

  it("must name a program", () => {
    assert.throws(() => workingProgram("kube-log-runner.exe --log-file=x"), /names no program/);
  });
});
