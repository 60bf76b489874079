import assert from "node:assert/strict";

import { runShellCommand } from "../../../rehearsal/host/cmd/shell.ts";
import { parseHosts } from "../../../rehearsal/host/windows-host.ts";
import type { RehearsalHost } from "../../../rehearsal/host/in-process.ts";
import { workingProgram } from "../../../rehearsal/host/service-command.ts";
import { loadState, statePath } from "../../../rehearsal/host/state.ts";
import { prepareThrough, startWithSteps } from "./step-runner.ts";

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

describe("The model's service manager", () => {
  let host: RehearsalHost;
  const log: string[] = [];
  beforeEach(async () => {
    host = await startWithSteps();
    await prepareThrough(host, "Install-Kubernetes");
    log.length = 0;
  });
  afterEach(() => host.stop());

  const restart = (): Promise<void> => host.windows.services.restartEnded((line) => log.push(line));

  it("starts again what has ended by itself, and only that", async () => {
    const { services } = host.windows;
    const endAndLook = async (): Promise<boolean> => {
      await services.start("kubelet");
      await host.programs.stopService("kubelet"); // it ended
      await restart();
      return services.isRunning("kubelet");
    };
    assert.equal(await endAndLook(), false, "no recovery before the join");
    await services.change("kubelet", { restarts: true });
    assert.equal(await endAndLook(), true);
    assert.match(log.join("\n"), /kubelet has ended by itself/);
    await services.stop("kubelet");
    await restart();
    assert.equal(await services.isRunning("kubelet"), false);
    assert.equal(log.length, 1);
  });

  it("starts what a service depends on, and stops what depends on it", async () => {
    const { services } = host.windows;
    await services.stop("containerd");
    await services.start("kubelet");
    assert.equal(await services.isRunning("containerd"), true);
    await services.stop("containerd");
    assert.equal(await services.isRunning("kubelet"), false);
  });

  it("starts a service once, however many ask for it", async () => {
    const { services } = host.windows;
    await Promise.all([services.start("kubelet"), services.start("kubelet")]);
    assert.equal(
      host.programs.commands.filter((line) => line.includes("kubelet.exe --cert-dir")).length,
      1,
    );
  });

  /** What a command of cmd.exe prints, its exit code first. */
  const shell = async (command: string): Promise<string> => {
    const said: string[] = [];
    const note = (text: string): void => void said.push(text);
    const exitCode = await runShellCommand(host.windows, command, {
      out: note,
      err: note,
      stdin: () => Promise.resolve(""),
      dropConnection: () => undefined,
    });
    return `${exitCode} ${said.join("")}`;
  };

  it("is asked by net, with Windows' own words", async () => {
    const { services } = host.windows;
    assert.match(
      await shell("net start kubelet"),
      /^0 The kubelet service is starting\.\n.*started/,
    );
    assert.match(await shell("net start kubelet"), /^2 .*already been started\.\n\n.* 2182\.\n$/);
    assert.equal(await services.isRunning("kubelet"), true);
    assert.match(await shell("net stop containerd"), /^2 [^]*dependent on[^]*\n {3}kubelet\n/);
    assert.equal(await services.isRunning("containerd"), true);
    assert.match(await shell("net stop kubelet"), /^0 [^]*was stopped successfully\.\n$/);
    assert.match(await shell("net stop kubelet"), /^2 .*not started\.\n\n.* 3521\.\n$/);
    assert.equal(await services.isRunning("kubelet"), false);
    await shell("net start kubelet");
    assert.match(await shell("net stop containerd /y"), /^0 /);
    assert.equal(await services.isRunning("kubelet"), false);
    await services.change("kubelet", { startType: "disabled" });
    assert.match(await shell("net start kubelet"), /^2 [^]*could not be started[^]*disabled/);
  });

  it("reports a service that can't be started at boot and starts the others", async () => {
    const { services, drive } = host.windows;
    await services.change("kubelet", { startType: "auto" });
    await services.stop("containerd");
    await drive.remove("C:\\k\\kubelet.exe");
    await services.startAutomatic((line) => log.push(line));
    assert.equal(await services.isRunning("containerd"), true);
    assert.match(log.join("\n"), /kubelet did not start:.*cannot find the file specified/);
  });

  const refused: readonly (readonly [name: string, change: () => Promise<unknown>, RegExp])[] = [
    ["one that does not exist", () => host.windows.services.start("nobody"), /Cannot find any/],
    [
      "changing one that does not exist",
      () => host.windows.services.change("x", {}),
      /Cannot find/,
    ],
    ["stopping one that does not exist", () => host.windows.services.stop("x"), /Cannot find/],
    [
      "a disabled one",
      async () => {
        await host.windows.services.change("kubelet", { startType: "disabled" });
        await host.windows.services.start("kubelet");
      },
      /because it is disabled/,
    ],
    [
      "one without kube-log-runner",
      async () => {
        await host.windows.drive.remove("C:\\k\\kube-log-runner.exe");
        await host.windows.services.start("kubelet");
      },
      /C:\\k\\kube-log-runner\.exe/,
    ],
  ];
  for (const [name, change, message] of refused) {
    it(`refuses ${name}`, () => assert.rejects(change(), message));
  }

  it("says which file is damaged when its state can't be read", async () => {
    await host.windows.drive.write(statePath, '{"services": []}');
    await assert.rejects(
      loadState(host.windows.drive, new Date()),
      /C:\\rehearsal\\state\.json can't be read/,
    );
    // Any change rewrites it.
    await host.windows.settings.setUpdatePending(false);
  });
});
