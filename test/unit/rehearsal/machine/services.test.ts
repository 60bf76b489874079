import assert from "node:assert/strict";

import { hostFor, prepareThrough, runCommand } from "./step-runner.ts";

describe("The model's service manager", () => {
  const machine = hostFor("each");
  const log: string[] = [];
  beforeEach(async () => {
    await prepareThrough(machine, "Install-Kubernetes");
    log.length = 0;
  });

  const restart = (): Promise<void> =>
    machine.windows.services.restartEnded((line) => log.push(line));

  it("starts again what has ended by itself, and only that", async () => {
    const { services } = machine.windows;
    const endAndLook = async (): Promise<boolean> => {
      await services.start("kubelet");
      await machine.programs.stopService("kubelet"); // it ended
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

  /** What a command of cmd.exe prints, its exit code first. */
  const shell = async (command: string): Promise<string> => {
    const { exitCode, stdout, stderr } = await runCommand(machine, command);
    return `${exitCode} ${stdout}${stderr}`;
  };

  it("is asked by net, with Windows' own words", async () => {
    const { services } = machine.windows;
    assert.match(await shell("net start kubelet"), /^0 The kubelet service was started/);
    assert.match(await shell("net start kubelet"), /^2 .*already been started\.\n\n.* 2182\.\n$/);
    assert.equal(await services.isRunning("kubelet"), true);
    assert.match(await shell("net stop kubelet"), /^0 [^]*was stopped successfully\.\n$/);
    assert.match(await shell("net stop kubelet"), /^2 .*not started\.\n\n.* 3521\.\n$/);
    assert.equal(await services.isRunning("kubelet"), false);
    await services.change("kubelet", { startType: "disabled" });
    assert.match(await shell("net start kubelet"), /^2 [^]*could not be started[^]*disabled/);
  });

  it("reports a service that can't be started at boot and starts the others", async () => {
    const { services, drive } = machine.windows;
    await services.change("kubelet", { startType: "auto" });
    await services.stop("containerd");
    await drive.remove("C:\\k\\kubelet.exe");
    await services.startAutomatic((line) => log.push(line));
    assert.equal(await services.isRunning("containerd"), true);
    assert.match(log.join("\n"), /kubelet did not start:.*cannot find the file specified/);
  });
});
