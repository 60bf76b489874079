import assert from "node:assert/strict";

import type { RehearsalHost } from "../../rehearsed-machine/in-process.ts";
import { updatePending } from "../../../rehearsal/windows/features.ts";
import { addNetwork, calicoBootTime } from "./machine-listing.ts";
import { adminKey, connect, remoteSteps } from "./ssh-client.ts";
import {
  assertDone,
  assertFails,
  goodArguments,
  holdWait,
  joinInput,
  prepareThrough,
  runCommand,
  runGood,
  runStep,
  runText,
  startWithSteps,
  type StepRun,
} from "./step-runner.ts";

describe("A reboot of the rehearsal host", () => {
  let host: RehearsalHost;
  beforeEach(async () => {
    host = await startWithSteps({ authorizedKeys: [adminKey.public] });
  });
  afterEach(() => host.stop());

  const confirm = (): Promise<StepRun> => runStep(host, "Confirm-Reboot");
  const enable = (): Promise<StepRun> =>
    runStep(host, "Enable-ContainersFeature", ["-RebootDelaySeconds", "400"]);
  const record = "C:\\kindows\\state\\reboot.json";

  it("closes the port at once, lets sessions go on, and comes back with the feature", async () => {
    const before = await connect(host);
    const delay = holdWait(host.time, 400);
    const enabled = await enable();
    assert.deepEqual([enabled.exitCode, enabled.rebootRequired], [0, true], enabled.stderr);
    await assert.rejects(connect(host), /ECONNREFUSED/);
    await assertFails(confirm(), "RebootNotDone");
    // One that is run again before the reboot orders it again.
    const second = await enable();
    assert.deepEqual([second.changed, second.rebootRequired], [false, true]);

    const cut = new Promise<void>((resolve) => before.once("close", () => resolve()));
    delay.end();
    await cut;
    await host.up();
    assert.equal(host.boots, 2);
    const { exitCode, stderr, changed, facts } = await confirm();
    assert.deepEqual([exitCode, changed, facts["installState"]], [0, true, "Installed"], stderr);
    assert.notEqual(facts["previousBootUpTime"], facts["lastBootUpTime"]);

    assert.equal((await confirm()).changed, false);
    // What a power cut has left of the record is none.
    for (const left of ["", "{", "{}", '{"lastBootUpTime":']) {
      await host.windows.drive.write(record, left);
      const { exitCode, changed, stderr } = await confirm();
      assert.deepEqual([exitCode, changed], [0, false], stderr);
    }
    const again = await enable();
    assert.deepEqual([again.changed, again.rebootRequired], [false, false]);
  });

  it("a reboot that Windows itself waits for comes first; running again goes on", async () => {
    host.windows.registry.make(updatePending);
    await assertFails(runStep(host, "Enable-ContainersFeature"), "RebootPending");
    await host.up();
    assert.equal(host.boots, 2);
    assert.equal((await enable()).rebootRequired, true);
    await host.up();
    assert.equal((await confirm()).facts["installState"], "Installed");
  });

  it("starts what starts with Windows, in order, and nothing else", async () => {
    const reboot = async (): Promise<boolean[]> => {
      await runCommand(host, "shutdown /r /t 0");
      await host.up();
      const { services } = host.windows;
      return Promise.all(["containerd", "kubelet"].map((name) => services.isRunning(name)));
    };
    for (const [step, args] of Object.entries(goodArguments(host))) {
      if (step === "Reset-Node") break;
      // kubelet is manual before the join
      if (step === "Join-Node") assert.deepEqual(await reboot(), [true, false]);
      const result = await assertDone(runStep(host, step, args, joinInput));
      if (result.rebootRequired === true) await host.up();
    }
    assert.deepEqual(await reboot(), [true, true]);
    assert.equal(host.boots, 4);
    assert.deepEqual(host.programs.hostsEntries.at(-1)?.names, ["control-plane"]);
    assert.deepEqual(
      host.nodes.map(({ name }) => name),
      ["win-1"],
    );
  });
});

describe("Calico's network on the rehearsal host", () => {
  let host: RehearsalHost;
  const start = async (options: Parameters<typeof startWithSteps>[0] = {}): Promise<void> => {
    host = await startWithSteps({ authorizedKeys: [adminKey.public], ...options });
    await prepareThrough(host, "Confirm-Reboot");
  };
  afterEach(() => host.stop());

  const add = (): Promise<StepRun> => runGood(host, "Add-ExternalNetwork");
  const confirm = (): Promise<StepRun> => runGood(host, "Confirm-ExternalNetwork");
  const networks = (): string[] => Object.keys(host.windows.state.networks);
  const record = "C:\\kindows\\state\\external-network.json";

  it("is made while nobody is connected; then there are the network, the address, and Calico informed", async () => {
    await start();
    const client = await connect(host);
    holdWait(host.time, 600);
    const delay = holdWait(host.time, 5);
    const cut = new Promise<void>((resolve) => client.once("close", () => resolve()));
    assert.equal((await add()).changed, true);
    await assert.rejects(connect(host), /ECONNREFUSED/);
    delay.end();
    await cut;
    const confirmed = await confirm();
    assert.deepEqual([confirmed.changed, confirmed.errorCode], [false, undefined]);
    assert.deepEqual(networks(), ["External"]);
    (await connect(host)).end();
    const reported = Date.parse(`${String(calicoBootTime(host.windows))} UTC`);
    assert.equal(reported, Date.parse(host.windows.lastBootUpTime));
    assert.equal(host.boots, 2);
    assert.equal((await add()).changed, false);
  });

  it("an address that does not come back is fetched by a reboot nobody has to order", async () => {
    await start({ faults: [{ kind: "addressLost" }] });
    const rescue = holdWait(host.time, 600);
    await add();
    await rescue.begun;
    await host.windows.tasksEnded();
    await assert.rejects(connect(host), /ECONNREFUSED/);
    rescue.end();
    await host.up();
    assert.equal(host.boots, 3);
    assert.equal((await confirm()).errorCode, undefined);
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
  });

  it("a power cut before it was made is made good by running the confirmation again", async () => {
    await start();
    await add();
    await host.programs.reboot(0);
    await host.up();
    assert.ok([undefined, "NetworkNotReady"].includes((await confirm()).errorCode));
    await host.windows.tasksEnded();
    assert.equal((await confirm()).errorCode, undefined);
    assert.deepEqual(networks(), ["External"]);
    // What Windows has not written to the disk by then is empty afterwards.
    await host.windows.drive.write(record, "");
    assert.equal((await confirm()).errorCode, undefined);
  });

  it("what HNS answers is reported where it makes no network, and the reboot stands", async () => {
    await start();
    host.windows.addHostNetwork = () => Promise.resolve();
    holdWait(host.time, 600);
    await add();
    await host.windows.tasksEnded();
    assert.match(
      (await host.windows.drive.readText(record)) ?? "",
      /"failed","message":"HNS did not make the network External: \{\\"Success\\":true/,
    );
    assert.equal(await host.programs.callOffReboot(), true);
  });

  it("the reboot is called off too where the task did not come to its end, and all is there", async () => {
    await start();
    const { drive, lastBootUpTime } = host.windows;
    addNetwork(host.windows, "External");
    await drive.write(record, JSON.stringify({ state: "running", message: "", lastBootUpTime }));
    holdWait(host.time, 600);
    await host.programs.reboot(600);
    host.windows.hasAddress = false;
    const lost = /^The machine has lost its address 192\.168\.150\.11\./;
    assert.match((await confirm()).errorMessage, lost);
    host.windows.hasAddress = true;
    assert.equal((await confirm()).errorCode, undefined);
    assert.equal(await host.programs.callOffReboot(), false);
  });

  it("no reboot is left, and nobody waits for a task, where that could not be started", async () => {
    await start();
    await host.windows.drive.write(
      `${remoteSteps}\\lib\\SystemTask.ps1`,
      "function Start-SystemTask { [CmdletBinding()] param($Name, $Command) throw 'no task' }",
    );
    const { errorCode, errorMessage } = await add();
    assert.deepEqual([errorCode, errorMessage], ["Unexpected", "no task"]);
    assert.equal(await host.programs.callOffReboot(), false);
    assert.match(
      (await host.windows.drive.readText(record)) ?? "",
      /"state":"failed","message":"no task"/,
    );
  });
});
