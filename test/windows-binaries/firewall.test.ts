import assert from "node:assert/strict";

import { WineMachine } from "./wine-machine.ts";

const netsh = "C:\\windows\\system32\\netsh.exe";

describe("netsh.exe", () => {
  let machine: WineMachine;

  before(async () => {
    machine = await WineMachine.start();
  });
  after(() => machine.stop());

  it("opens a port in the machine's firewall, and closes it", async () => {
    const ports = (): readonly number[] =>
      Object.values(machine.windows.state.firewallRules).map(({ port }) => port);
    const before = ports();
    const allowed = ["dir=in", "action=allow", "protocol=TCP", "localport=8080"];
    const rule = (verb: string): string[] => [
      "advfirewall",
      "firewall",
      verb,
      "rule",
      "name=verify",
    ];
    const added = await machine.run(netsh, [...rule("add"), ...allowed]);
    assert.deepEqual([added.exitCode, ports()], [0, [...before, 8080]], added.stderr);
    const removed = await machine.run(netsh, rule("delete"));
    assert.deepEqual([removed.exitCode, ports()], [0, before], removed.stderr);
  });
});
