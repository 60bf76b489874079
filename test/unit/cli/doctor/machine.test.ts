import assert from "node:assert/strict";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { askClock } from "../../../../cli/doctor/examine-lab.ts";
import type { NodeMachine } from "../../../../cli/doctor/lab-state.ts";
import { stepOverSsh } from "../../../../cli/doctor/step-over-ssh.ts";
import { stepCommand } from "../../../../components/windows/step-command.ts";
import type { RehearsalHost } from "../../../../rehearsal/host/in-process.ts";
import { adminKey, remoteSteps } from "../../rehearsal-host/ssh-client.ts";
import { startWithSteps } from "../../rehearsal-host/step-runner.ts";

describe("asking a machine", () => {
  let host: RehearsalHost;
  let machine: NodeMachine;

  before(async () => {
    host = await startWithSteps({ hostName: "win-1", authorizedKeys: [adminKey.public] });
    machine = {
      node: "win-1",
      host: "127.0.0.1",
      port: host.port,
      user: "Administrator",
      privateKey: adminKey.private,
      hostKey: host.hostKey,
      scripts: remoteSteps,
    };
  });
  after(() => host.stop());

  it("for its time", async () => {
    const reading = await askClock(machine, remoteSteps);
    assert.ok("time" in reading, JSON.stringify(reading));
    const { time, asked, answered } = reading;
    // It tells whole seconds.
    assert.ok(Number(time) > Number(asked) - 1000 && time <= answered, JSON.stringify(reading));
  });

  it("that refuses the connection tells why", async () => {
    const reading = await askClock({ ...machine, port: 1 }, remoteSteps);
    assert.match("trouble" in reading ? reading.trouble : "", /ECONNREFUSED/);
  });

  it("that is another one tells why", async () => {
    const reading = await askClock({ ...machine, hostKey: "ssh-ed25519 AAAA" }, remoteSteps);
    assert.match("trouble" in reading ? reading.trouble : "", /host/i);
  });

  it("that does not suit any more tells why, in the step's own words", async () => {
    const reading = await askClock({ ...machine, node: "win-2" }, remoteSteps);
    assert.match(
      "trouble" in reading ? reading.trouble : "",
      /^Test-WindowsHost on win-2 failed \(HostUnsuitable\): .* is named win-1, expected was win-2/,
    );
  });

  it("that has no such step tells the machine's words", async () => {
    const reading = await askClock(machine, "C:\\none");
    assert.match("trouble" in reading ? reading.trouble : "", /exit code|without a result/);
  });

  it("that accepts the connection and says nothing ends in time", async () => {
    const silent = createServer((socket) => socket.resume()).listen(0, "127.0.0.1");
    await new Promise((resolve) => silent.once("listening", resolve));
    const { port } = silent.address() as AddressInfo;
    const command = stepCommand(remoteSteps, "Confirm-Reboot", {});
    await assert.rejects(
      stepOverSsh("Confirm-Reboot", { ...machine, port }, command, 1),
      /no end within 1 s/,
    );
    // Closing ends only when the other side has let go.
    await new Promise((resolve) => silent.close(resolve));
  });
});
