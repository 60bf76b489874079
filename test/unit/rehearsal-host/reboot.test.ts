import assert from "node:assert/strict";
import type ssh2 from "ssh2";
import { type RehearsalHost, startRehearsalHost } from "../../../rehearsal/host/in-process.ts";
import { adminKey, connect, copySteps, run, stepCommand } from "./ssh-client.ts";
import { goodArguments, joinInput } from "./step-runner.ts";
import { type HeldWait, holdWait } from "./held-wait.ts";

interface Result {
  readonly changed?: boolean;
  readonly rebootRequired?: boolean;
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: string };
}

const resultOf = (stdout: string): Result =>
  JSON.parse(stdout.trim().split("\r\n").at(-1) ?? "") as Result;

describe("A reboot of the rehearsal host, over SSH", () => {
  let host: RehearsalHost;
  const clients: ssh2.Client[] = [];
  const dial = async (): Promise<ssh2.Client> => {
    const client = await connect(host);
    clients.push(client);
    return client;
  };

  /** Between a reboot's order and the reboot; held where it is set. */
  let delay: HeldWait | undefined;
  const enable = stepCommand("Enable-ContainersFeature", ["-RebootDelaySeconds", "400"]);

  beforeEach(async () => {
    delay = undefined;
    host = await startRehearsalHost({
      hostName: "win-1",
      authorizedKeys: [adminKey.public],
    });
    await copySteps(await dial());
  });
  afterEach(async () => {
    delay?.end();
    for (const client of clients.splice(0)) client.end();
    await host.stop();
  });

  it("closes the port at once, lets sessions go on, and comes back with the feature", async () => {
    const before = await dial();
    delay = holdWait(host.time, 400);
    const enabled = await run(before, enable);
    assert.equal(enabled.exitCode, 0, enabled.stderr);
    assert.equal(resultOf(enabled.stdout).rebootRequired, true);
    await assert.rejects(connect(host), /ECONNREFUSED/);
    const early = await run(before, stepCommand("Confirm-Reboot", []));
    assert.equal(early.exitCode, 75);
    assert.equal(resultOf(early.stdout).error?.code, "RebootNotDone");

    delay.end();
    await new Promise<void>((resolve) => before.once("close", () => resolve()));
    await host.up();
    assert.equal(host.boots, 2);
    const after = await dial();
    const confirmed = await run(after, stepCommand("Confirm-Reboot", []));
    assert.equal(confirmed.exitCode, 0, confirmed.stderr);
    const { changed, facts } = resultOf(confirmed.stdout);
    assert.equal(changed, true);
    assert.equal(facts?.["installState"], "Installed");
    assert.notEqual(facts?.["previousBootUpTime"], facts?.["lastBootUpTime"]);

    const again = await run(after, stepCommand("Confirm-Reboot", []));
    assert.equal(resultOf(again.stdout).changed, false);
    // What a power cut has left of the record is none.
    await host.windows.drive.write("C:\\kindows\\state\\reboot.json", "");
    const cut = await run(after, stepCommand("Confirm-Reboot", []));
    assert.equal(resultOf(cut.stdout).changed, false);
    const enabledAgain = resultOf(
      (await run(after, stepCommand("Enable-ContainersFeature", []))).stdout,
    );
    assert.deepEqual([enabledAgain.changed, enabledAgain.rebootRequired], [false, false]);
  });

  it("a reboot that Windows itself waits for comes first; running again goes on", async () => {
    await host.windows.settings.setUpdatePending(true);
    const refused = await run(await dial(), stepCommand("Enable-ContainersFeature", []));
    assert.equal(refused.exitCode, 24);
    assert.equal(resultOf(refused.stdout).error?.code, "RebootPending");
    await host.up();
    assert.equal(host.boots, 2);
    const enabled = await run(await dial(), stepCommand("Enable-ContainersFeature", []));
    assert.equal(resultOf(enabled.stdout).rebootRequired, true);
    await host.up();
    const confirmed = await run(await dial(), stepCommand("Confirm-Reboot", []));
    assert.equal(resultOf(confirmed.stdout).facts?.["installState"], "Installed");
  });

  it("a second run before the reboot orders it again and says so", async () => {
    delay = holdWait(host.time, 400);
    const client = await dial();
    await run(client, enable);
    const second = resultOf((await run(client, enable)).stdout);
    assert.deepEqual([second.changed, second.rebootRequired], [false, true]);
  });

  it("starts what starts with Windows, in order, and nothing else", async () => {
    const args = goodArguments(host);
    const isRunning = (name: string): Promise<boolean> => host.windows.services.isRunning(name);
    for (const [step, stepArgs] of Object.entries(args)) {
      if (step === "Reset-Node") break;
      if (step === "Join-Node") {
        // kubelet is manual before the join
        await run(await dial(), "shutdown /r /t 0");
        await host.up();
        assert.deepEqual(
          [await isRunning("containerd"), await isRunning("kubelet")],
          [true, false],
        );
      }
      const result = await run(await dial(), stepCommand(step, stepArgs), joinInput);
      assert.equal(result.exitCode, 0, result.stderr);
      if (resultOf(result.stdout).rebootRequired === true) await host.up();
    }
    assert.deepEqual(host.programs.hostsEntries.at(-1)?.names, ["control-plane"]);
    await run(await dial(), "shutdown /r /t 0");
    await host.up();
    assert.equal(host.boots, 4);
    assert.deepEqual([await isRunning("containerd"), await isRunning("kubelet")], [true, true]);
    assert.deepEqual(host.programs.hostsEntries.at(-1)?.names, ["control-plane"]);
    assert.deepEqual(
      host.nodes.map(({ name }) => name),
      ["win-1"],
    );
  });

  for (const record of ["", "{", "{}", '{"lastBootUpTime":']) {
    it(`goes by no boot where the record of one is ${JSON.stringify(record)}`, async () => {
      await run(await dial(), stepCommand("Enable-ContainersFeature", []));
      await host.up();
      await host.windows.drive.write("C:\\kindows\\state\\reboot.json", record);
      const { exitCode, stderr } = await run(await dial(), stepCommand("Confirm-Reboot", []));
      assert.equal(exitCode, 0, stderr);
    });
  }

  it("keeps its port and host key", async () => {
    const port = host.port;
    await run(await dial(), "shutdown /r /t 0");
    await host.up();
    assert.equal(host.port, port);
    assert.equal((await run(await dial(), "hostname")).stdout, "win-1\r\n"); // the key is pinned
  });
});
