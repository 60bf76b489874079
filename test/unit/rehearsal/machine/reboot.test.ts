import assert from "node:assert/strict";

import { updatePending } from "../../../../rehearsal/windows/features.ts";
import { addNetwork, calicoBootTime, networkNames } from "./machine-listing.ts";
import { connect, remoteSteps } from "./ssh-client.ts";
import {
  assertDone,
  assertFails,
  assertFile,
  goodArguments,
  holdWait,
  hostFor,
  joinInput,
  plantFaults,
  runCommand,
  runGood,
  runStep,
  runText,
  type StepRun,
} from "./step-runner.ts";

describe("A reboot of the rehearsed machine", () => {
  const machine = hostFor("each");

  const confirm = (): Promise<StepRun> => runStep(machine, "Confirm-Reboot");
  const enable = (): Promise<StepRun> =>
    runStep(machine, "Enable-ContainersFeature", ["-RebootDelaySeconds", "400"]);
  const record = "C:\\kindows\\state\\reboot.json";

  it("closes the port at once, lets sessions go on, and comes back with the feature", async () => {
    const before = await connect(machine);
    const delay = holdWait(machine.time, 400);
    const enabled = await enable();
    assert.deepEqual([enabled.exitCode, enabled.rebootRequired], [0, true], enabled.stderr);
    await assert.rejects(connect(machine), /ECONNREFUSED/);
    await assertFails(confirm(), "RebootNotDone");
    // One that is run again before the reboot orders it again.
    const second = await enable();
    assert.deepEqual([second.changed, second.rebootRequired], [false, true]);

    const cut = new Promise<void>((resolve) => before.once("close", () => resolve()));
    delay.end();
    await cut;
    await machine.up();
    assert.equal(machine.boots, 2);
    const { facts } = await assertDone(confirm(), true, { featureState: "Enabled" });
    assert.notEqual(facts["previousBootUpTime"], facts["lastBootUpTime"]);

    await assertDone(confirm(), false);
    // What a power cut has left of the record is none.
    for (const left of ["", "{", "{}", '{"lastBootUpTime":']) {
      await machine.windows.drive.write(record, left);
      await assertDone(confirm(), false);
    }
    const again = await enable();
    assert.deepEqual([again.changed, again.rebootRequired], [false, false]);
  });

  it("a reboot that Windows itself waits for comes first; running again goes on", async () => {
    machine.windows.registry.make(updatePending);
    await assertFails(runStep(machine, "Enable-ContainersFeature"), "RebootPending");
    await machine.up();
    assert.equal(machine.boots, 2);
    assert.equal((await enable()).rebootRequired, true);
    await machine.up();
    await assertDone(confirm(), undefined, { featureState: "Enabled" });
  });

  it("powered off, it stays off", async () => {
    assert.equal((await runCommand(machine, "shutdown.exe /s /f /t 2")).exitCode, 0);
    await machine.up();
    assert.equal(machine.boots, 1);
    await assert.rejects(connect(machine), /ECONNREFUSED/);
  });

  it("starts what starts with Windows, in order, and nothing else", async () => {
    const reboot = async (): Promise<boolean[]> => {
      await runCommand(machine, "shutdown /r /t 0");
      await machine.up();
      const { services } = machine.windows;
      return Promise.all(["containerd", "kubelet"].map((name) => services.isRunning(name)));
    };
    for (const [step, args] of Object.entries(goodArguments(machine))) {
      if (step === "Reset-Node") break;
      // kubelet is manual before the join
      if (step === "Join-Node") assert.deepEqual(await reboot(), [true, false]);
      const result = await assertDone(runStep(machine, step, args, joinInput));
      if (result.rebootRequired === true) await machine.up();
    }
    assert.deepEqual(await reboot(), [true, true]);
    assert.equal(machine.boots, 4);
    assert.deepEqual(machine.programs.hostsEntries.at(-1)?.names, ["control-plane"]);
    assert.deepEqual(
      machine.cluster.nodes.map(({ name }) => name),
      ["win-1"],
    );
  });
});

describe("Calico's network on the rehearsed machine", () => {
  const machine = hostFor("each", "Confirm-Reboot");

  const add = (): Promise<StepRun> => runGood(machine, "Add-ExternalNetwork");
  const confirm = (): Promise<StepRun> => runGood(machine, "Confirm-ExternalNetwork");
  const networks = (): string[] => networkNames(machine.windows);
  const record = "C:\\kindows\\state\\external-network.json";

  it("is made while nobody is connected; then there are the network, the address, and Calico informed", async () => {
    const client = await connect(machine);
    holdWait(machine.time, 600);
    const delay = holdWait(machine.time, 5);
    const cut = new Promise<void>((resolve) => client.once("close", () => resolve()));
    await assertDone(add(), true);
    await assert.rejects(connect(machine), /ECONNREFUSED/);
    delay.end();
    await cut;
    await assertDone(confirm(), false);
    assert.deepEqual(networks(), ["External"]);
    (await connect(machine)).end();
    const reported = Date.parse(`${String(calicoBootTime(machine.windows))} UTC`);
    assert.equal(reported, Date.parse(machine.windows.lastBootUpTime));
    assert.equal(machine.boots, 2);
    await assertDone(add(), false);
  });

  it("an address that does not come back is recovered by an automatic reboot", async () => {
    await plantFaults(machine, { kind: "addressLost" });
    const rescue = holdWait(machine.time, 600);
    await add();
    await rescue.begun;
    await machine.windows.tasksEnded();
    await assert.rejects(connect(machine), /ECONNREFUSED/);
    rescue.end();
    await machine.up();
    assert.equal(machine.boots, 3);
    await assertDone(confirm());
    // Calico is not informed: it looks after networks of an earlier boot itself.
    assert.equal(calicoBootTime(machine.windows), undefined);
  });

  it("an address is renewed once, half way, and the existing ones are reported in the end", async () => {
    machine.windows.hasAddress = false;
    const wait = "Wait-OwnAddress -Address '192.168.150.11' -TimeoutSeconds 30 -Ready { $true }";
    const text = `try { ${wait} } catch { $_.Exception.Message }`;
    assert.match(
      await runText(machine, ["Step", "OwnAddress"], text),
      /^renewing a lease failed: 82\s+The address 192\.168\.150\.11 did not .* in 30 s; .* 169\.254\.7\.7\.\s*$/,
    );
  });

  it("a network that does not come is told from an address that does not", async () => {
    const wait = "Wait-OwnAddress -Address '192.168.150.11' -TimeoutSeconds 30 -Ready { $false }";
    const text = `try { ${wait} } catch { $_.Exception.Message }`;
    assert.match(
      await runText(machine, ["Step", "OwnAddress"], text),
      /The address 192\.168\.150\.11 is there, but HNS put no switch on its adapter in 30 s\.\s*$/,
    );
  });

  /** Two adapters: the node's has 10.20.0.31; HNS' first is another's, at 172.31.9.4. */
  const twoAdapters = `
function Get-NetIPAddress {
    [pscustomobject]@{ IPAddress = '172.31.9.4'; InterfaceAlias = 'Management' }
    [pscustomobject]@{ IPAddress = '10.20.0.31'; InterfaceAlias = 'Ethernet 2' }
}
function Get-HnsNetwork { [pscustomobject]@{ Name = 'External'; ManagementIP = $ManagementIP } }
`;
  const libraries = ["Step", "NativeCommand", "ExternalNetworkTask", "ExternalNetwork"];
  const onAdapters = (managementIp: string, text: string): Promise<string> =>
    runText(machine, libraries, `$ManagementIP = '${managementIp}'\n${twoAdapters}${text}`);

  it("is made on the adapter that has the node's address (rancher/rke2#3533)", async () => {
    const name = (address: string): Promise<string> =>
      onAdapters("", `Get-AdapterName -Address '${address}'`);
    assert.equal((await name("10.20.0.31")).trim(), "Ethernet 2");
    assert.equal((await name("172.31.9.4")).trim(), "Management");
  });

  // Only HNS knows the adapter below a switch of its own.
  it("leaves the choice to HNS where a switch has the address (kubernetes-sigs/sig-windows-tools#32)", async () => {
    const switchHas = twoAdapters.replace("Ethernet 2", "vEthernet (nat)");
    const text = `${switchHas}Get-AdapterName -Address '10.20.0.31'`;
    assert.equal((await runText(machine, libraries, text)).trim(), "");
  });

  it("is not ready while its switch is on another adapter (Azure/azure-container-networking#813)", async () => {
    const ready = async (managementIp: string): Promise<string> => {
      const test = "Test-ExternalSwitch -Name 'External' -Address '10.20.0.31'";
      return (await onAdapters(managementIp, test)).trim();
    };
    assert.deepEqual(
      [await ready("10.20.0.31"), await ready("172.31.9.4"), await ready("")],
      ["True", "False", "False"],
    );
    // A load balancer's address took its place there (kubernetes/kubernetes#75561).
    assert.equal(await ready("35.224.254.87"), "False");
  });

  it("that is on another adapter is named, with that adapter's address", async () => {
    addNetwork(machine.windows, "External");
    const confirmed = await runGood(machine, "Confirm-ExternalNetwork", {
      "-Address": "127.0.0.1",
    });
    assert.match(
      confirmed.errorMessage,
      /is on the adapter with 192\.168\.150\.11, not on the node's, with 127\.0\.0\.1\./,
    );
  });

  it("a power cut before it was made is made good by running the confirmation again", async () => {
    await add();
    await machine.programs.reboot(0);
    await machine.up();
    assert.ok([undefined, "NetworkNotReady"].includes((await confirm()).errorCode));
    await machine.windows.tasksEnded();
    await assertDone(confirm());
    assert.deepEqual(networks(), ["External"]);
    // What Windows has not written to the disk by then is empty afterwards.
    await machine.windows.drive.write(record, "");
    await assertDone(confirm());
  });

  it("reports HNS's answer if it makes no network, and the reboot stays ordered", async () => {
    machine.windows.beforeCmdlet = ({ name }) => {
      if (name === "Get-HnsNetwork") machine.windows.state.hns.networks = [];
    };
    holdWait(machine.time, 600);
    await add();
    await machine.windows.tasksEnded();
    const answer =
      /"failed","message":"HNS did not make the network External: \{\\"Success\\":true/;
    await assertFile(machine, record, answer);
    assert.equal(await machine.programs.callOffReboot(), true);
  });

  it("the reboot is also called off if the task did not finish but everything is there", async () => {
    const { drive, lastBootUpTime } = machine.windows;
    addNetwork(machine.windows, "External");
    await drive.write(record, JSON.stringify({ state: "running", message: "", lastBootUpTime }));
    holdWait(machine.time, 600);
    await machine.programs.reboot(600);
    machine.windows.hasAddress = false;
    const lost = /^The machine has lost its address 192\.168\.150\.11\./;
    assert.match((await confirm()).errorMessage, lost);
    machine.windows.hasAddress = true;
    await assertDone(confirm());
    assert.equal(await machine.programs.callOffReboot(), false);
  });

  it("leaves no reboot ordered, and does not wait, if the task could not be started", async () => {
    await machine.windows.drive.write(
      `${remoteSteps}\\lib\\SystemTask.ps1`,
      "function Start-DetachedTask { [CmdletBinding()] param($Name, $Line) throw 'no task' }",
    );
    await assertFails(add(), "Unexpected", /^no task$/);
    assert.equal(await machine.programs.callOffReboot(), false);
    await assertFile(machine, record, /"state":"failed","message":"no task"/);
  });
});
