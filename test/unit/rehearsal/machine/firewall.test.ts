import assert from "node:assert/strict";

import { linuxFirewall, netsh } from "../../../../rehearsal/windows/firewall.ts";
import { hostFor } from "./step-runner.ts";

const opened = (rules: Parameters<typeof linuxFirewall>[0]): readonly string[] =>
  linuxFirewall(rules).make.flatMap(
    (line) => / inbound (\S+ dport \d+) accept$/.exec(line)?.[1] ?? [],
  );

describe("Windows' firewall", () => {
  const machine = hostFor("each");
  const inForce = (): readonly string[] => opened(machine.windows.state.firewallRules);
  const run = (text: string): ReturnType<typeof netsh> =>
    netsh(machine.windows, text.split(" ").slice(1));
  const add = "netsh advfirewall firewall add rule name=verify dir=in action=allow";

  it("lets nothing in by itself but SSH and answers", () => {
    assert.deepEqual(inForce(), ["tcp dport 22"]);
    const { make } = linuxFirewall({});
    assert.ok(make.some((line) => line.includes("policy drop")));
    assert.deepEqual(
      make.filter((line) => line.startsWith("nft add rule")),
      [
        "nft add rule ip firewall inbound iif lo accept",
        "nft add rule ip firewall inbound ct state established,related accept",
      ],
    );
  });

  it("opens a port by netsh, twice with one name, and closes both", async () => {
    for (const port of [8080, 8081]) {
      const { exitCode } = await run(`${add} protocol=TCP localport=${port}`);
      assert.equal(exitCode, 0);
    }
    assert.deepEqual(inForce(), ["tcp dport 22", "tcp dport 8080", "tcp dport 8081"]);
    const remove = "netsh advfirewall firewall delete rule name=verify";
    assert.equal((await run(remove)).exitCode, 0);
    assert.deepEqual(inForce(), ["tcp dport 22"]);
    assert.equal((await run(remove)).exitCode, 1);
  });

  for (const command of [
    "netsh interface show interface",
    "netsh advfirewall set allprofiles state off",
    `${add} protocol=TCP`,
    `${add} protocol=TCP localport=80-90`,
    `${add} protocol=TCP localport=80 remoteip=10.0.0.1`,
    "netsh advfirewall firewall add rule name=verify dir=in action=block protocol=TCP localport=80",
    "netsh advfirewall firewall delete rule name=verify dir=out",
  ]) {
    it(`refuses what it does not model: ${command}`, async () => {
      await assert.rejects(run(command), { name: "Unsupported" });
      assert.deepEqual(inForce(), ["tcp dport 22"]);
    });
  }
});
