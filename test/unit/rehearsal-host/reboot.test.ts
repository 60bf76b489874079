import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type ssh2 from "ssh2";

import type { FaultSetting } from "../../../rehearsal/host/faults.ts";
import { type RehearsalHost, startRehearsalHost } from "../../rehearsed-machine/in-process.ts";
import { type HeldWait, holdWait } from "./step-runner.ts";
import { calicoBootTime } from "./machine-listing.ts";
import { runText } from "./step-runner.ts";
import { adminKey, connect, copySteps, remoteSteps, run, stepCommand } from "./ssh-client.ts";
import { goodArguments, joinInput, prepareThrough } from "./step-runner.ts";

interface Result {
  readonly changed?: boolean;
  readonly rebootRequired?: boolean;
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: string };
}

const resultOf = (stdout: string): Result =>
  JSON.parse(stdout.trim().split("\r\n").at(-1) ?? "") as Result;

/** Connects to a host; the connections end with the test. */
function dialsTo(host: () => RehearsalHost): () => Promise<ssh2.Client> {
  const clients: ssh2.Client[] = [];
  afterEach(() => {
    for (const client of clients.splice(0)) client.end();
  });
  return async () => {
    const client = await connect(host());
    clients.push(client);
    return client;
  };
}

describe("A reboot of the rehearsal host, over SSH", () => {
  let host: RehearsalHost;
  const dial = dialsTo(() => host);

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

const args = ["-Address", "192.168.150.11"];

describe("Calico's network on the rehearsal host, over SSH", () => {
  interface Result {
    readonly changed?: boolean;
    readonly error?: { readonly code: string; readonly message: string };
  }

  let host: RehearsalHost;
  const dial = dialsTo(() => host);
  /** As the command provider does: dials until somebody answers. */
  const dialUntilUp = async (): Promise<ssh2.Client> => {
    for (;;) {
      try {
        return await dial();
      } catch {
        await sleep(20);
      }
    }
  };
  const step = async (name: string, client: ssh2.Client): Promise<Result> => {
    const { stdout } = await run(client, stepCommand(name, args));
    return JSON.parse(stdout.trim().split("\r\n").at(-1) ?? "") as Result;
  };
  const start = async (faults: readonly FaultSetting[] = []): Promise<ssh2.Client> => {
    host = await startRehearsalHost({
      hostName: "win-1",
      authorizedKeys: [adminKey.public],
      faults,
    });
    await copySteps(await dial());
    await prepareThrough(host, "Confirm-Reboot");
    return dial();
  };

  afterEach(async () => {
    await host.stop();
  });

  it("is made while nobody is connected; who dials next finds it, the address, and Calico informed", async () => {
    const client = await start();
    holdWait(host.time, 600);
    const delay = holdWait(host.time, 5);
    const cut = new Promise<void>((resolve) => client.once("close", () => resolve()));
    assert.equal((await step("Add-ExternalNetwork", client)).changed, true);
    await assert.rejects(connect(host), /ECONNREFUSED/);
    delay.end();
    await cut;
    const again = await dialUntilUp();
    const confirmed = await step("Confirm-ExternalNetwork", again);
    assert.deepEqual([confirmed.changed, confirmed.error], [false, undefined]);
    assert.deepEqual(host.windows.settings.networks(), ["External"]);
    const reported = Date.parse(`${String(calicoBootTime(host.windows))} UTC`);
    assert.equal(reported, Date.parse(host.windows.lastBootUpTime));
    assert.equal(host.boots, 2);
    assert.equal((await step("Add-ExternalNetwork", again)).changed, false);
  });

  it("an address that does not come back is fetched by a reboot nobody has to order", async () => {
    const client = await start([{ kind: "addressLost" }]);
    const rescue = holdWait(host.time, 600);
    await step("Add-ExternalNetwork", client);
    await rescue.begun;
    await host.windows.tasksEnded();
    await assert.rejects(connect(host), /ECONNREFUSED/);
    rescue.end();
    await host.up();
    assert.equal(host.boots, 3);
    const confirmed = await step("Confirm-ExternalNetwork", await dialUntilUp());
    assert.equal(confirmed.error, undefined);
    // Calico is not informed: it looks after networks of an earlier boot itself.
    assert.equal(calicoBootTime(host.windows), undefined);
  });

  it("an address is renewed once, half way, and the existing ones are reported in the end", async () => {
    await start();
    host.windows.hasAddress = false;
    const wait = "Wait-OwnAddress -Address '192.168.150.11' -TimeoutSeconds 30 -Ready { $true }";
    const text = `try { ${wait} } catch { $_.Exception.Message }`;
    assert.match(
      await runText(host, ["Step", "OwnAddress"], text),
      /^renewing a lease failed: 82\s+The address 192\.168\.150\.11 did not .* in 30 s; .* 169\.254\.7\.7\.\s*$/,
    );
    host.windows.hasAddress = true;
  });

  it("a power cut before it was made is made good by running the confirmation again", async () => {
    const client = await start();
    await step("Add-ExternalNetwork", client);
    await host.programs.reboot(0);
    await host.up();
    const first = await step("Confirm-ExternalNetwork", await dialUntilUp());
    if (first.error !== undefined) assert.equal(first.error.code, "NetworkNotReady");
    await host.windows.tasksEnded();
    const second = await step("Confirm-ExternalNetwork", await dialUntilUp());
    assert.equal(second.error, undefined);
    assert.deepEqual(host.windows.settings.networks(), ["External"]);

    // What Windows has not written to the disk by then is empty afterwards.
    await host.windows.drive.write("C:\\kindows\\state\\external-network.json", "");
    const third = await step("Confirm-ExternalNetwork", await dialUntilUp());
    assert.equal(third.error, undefined);
  });

  const record = "C:\\kindows\\state\\external-network.json";

  it("what HNS answers is reported where it makes no network, and the reboot stands", async () => {
    const client = await start();
    host.windows.addHostNetwork = () => Promise.resolve();
    holdWait(host.time, 600);
    await step("Add-ExternalNetwork", client);
    await host.windows.tasksEnded();
    assert.match(
      (await host.windows.drive.readText(record)) ?? "",
      /"failed","message":"HNS did not make the network External: \{\\"Success\\":true/,
    );
    assert.equal(await host.programs.callOffReboot(), true);
  });

  it("the reboot is called off too where the task did not come to its end, and all is there", async () => {
    const client = await start();
    const { settings, drive, lastBootUpTime } = host.windows;
    await settings.addNetwork("External");
    await drive.write(record, JSON.stringify({ state: "running", message: "", lastBootUpTime }));
    holdWait(host.time, 600);
    await host.programs.reboot(600);
    host.windows.hasAddress = false;
    const { error } = await step("Confirm-ExternalNetwork", client);
    assert.match(error?.message ?? "", /^The machine has lost its address 192\.168\.150\.11\./);
    host.windows.hasAddress = true;
    assert.equal((await step("Confirm-ExternalNetwork", client)).error, undefined);
    assert.equal(await host.programs.callOffReboot(), false);
  });

  it("no reboot is left, and nobody waits for a task, where that could not be started", async () => {
    const client = await start();
    await host.windows.drive.write(
      `${remoteSteps}\\lib\\SystemTask.ps1`,
      "function Start-SystemTask { [CmdletBinding()] param($Name, $Command) throw 'no task' }",
    );
    const { error } = await step("Add-ExternalNetwork", client);
    assert.deepEqual([error?.code, error?.message], ["Unexpected", "no task"]);
    assert.equal(await host.programs.callOffReboot(), false);
    assert.match(
      (await host.windows.drive.readText(record)) ?? "",
      /"state":"failed","message":"no task"/,
    );
  });
});
