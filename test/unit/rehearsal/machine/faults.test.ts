import assert from "node:assert/strict";
import { mock } from "node:test";
import { checkedFaults, faultsPath } from "../../../../rehearsal/machine/faults.ts";
import { waitBy } from "../../waits.ts";
import { connect } from "./ssh-client.ts";
import {
  assertDone,
  assertFails,
  holdWait,
  plantFaults,
  runCommand,
  runStep,
  runText,
  withSteps,
} from "./step-runner.ts";

describe("Faults in steps", () => {
  it("refuseDials keeps the port closed after a boot", () =>
    withSteps({}, async (machine) => {
      await plantFaults(machine, { kind: "refuseDials", seconds: 600 });
      const refusal = holdWait(machine.time, 600);
      await runCommand(machine, "shutdown /r /t 0");
      await refusal.begun;
      await assert.rejects(connect(machine), /ECONNREFUSED/);
      refusal.end();
      await machine.up();
      (await connect(machine)).end();
    }));

  it("a power cut tears what was written and not flushed, and no record of the steps", () =>
    withSteps({}, async (machine) => {
      const lines = [
        "Save-JoinRecord -Cluster 'a' -Joining $false",
        "$stream = New-Object -TypeName System.IO.FileStream -ArgumentList 'C:\\plain.json', 'Create', 'Write', 'None'",
        "$stream.Write([byte[]](1..16), 0, 16)",
        "$stream.Dispose()",
      ];
      const files = ["Step", "NativeCommand", "Services", "KubeletService", "Membership"];
      await runText(machine, files, lines.join("\r\n"));
      await machine.programs.reboot(0);
      await machine.up();
      const { drive } = machine.windows;
      assert.equal((await drive.read("C:\\plain.json"))?.length, 8);
      assert.equal(await drive.readText("C:\\kindows\\state\\join.json"), '{"cluster":"a"}');
    }));

  it("slow makes a step take longer", () =>
    withSteps({}, async (machine) => {
      const waits: unknown[] = [];
      const run = async (): Promise<unknown[]> => {
        waits.length = 0;
        await runStep(machine, "Set-HostsEntry", ["-Entry", "10.0.0.1=a"]);
        return [...waits];
      };
      // Whatever is done takes 2 ms, and nothing is really waited for.
      let now = 0;
      mock.method(performance, "now", () => (now += 2));
      waitBy((milliseconds) => Promise.resolve(waits.push(milliseconds)));
      try {
        assert.deepEqual(await run(), []);
        await plantFaults(machine, { kind: "slow", factor: 50 });
        const slowed = await run();
        assert.ok(slowed.length > 0 && slowed.every((each) => Number(each) >= 98), String(slowed));
      } finally {
        mock.restoreAll();
        waitBy();
      }
    }));

  it("one step at a time: the second waits, and gives up with StepBusy", () =>
    withSteps({}, async (machine) => {
      const { mutexes } = machine.windows;
      await mutexes.enter("Global\\kindows-step", 0);
      await assertFails(runStep(machine, "Set-HostsEntry", ["-Entry", '""']), "StepBusy");
      mutexes.leave("Global\\kindows-step");
      await assertDone(runStep(machine, "Set-HostsEntry", ["-Entry", '""']));
    }));

  const wrong: readonly (readonly [setting: unknown, message: RegExp])[] = [
    [{}, /expected array/],
    [[{ kind: "explode" }], /kind/],
    [[{ kind: "reboot", step: "Join" }], /Join-Node/],
    [[{ kind: "reboot", step: "Join-Node", at: "once" }], /"start"\|"middle"\|"end"/],
    [[{ kind: "slow", factor: 0.5 }], />=1/],
    [[{ kind: "staleFeature", often: 1 }], /often/],
  ];
  for (const [setting, message] of wrong) {
    it(`refuses ${JSON.stringify(setting)}`, () => {
      assert.throws(() => checkedFaults(setting, "faults.json"), message);
    });
  }

  it("a damaged faults file is an error of the step, not of the host", () =>
    withSteps({}, async (machine) => {
      await machine.windows.drive.write(faultsPath, "[{");
      await assertFails(runStep(machine, "Set-HostsEntry", ["-Entry", '""']), "Unexpected");
    }));

  it("a fault in a step that does not exist is an error that names it", () =>
    withSteps({ faults: [{ kind: "reboot", step: "Join-Nodes" }] }, async (machine) => {
      const unknown = /names the step Join-Nodes, but there is no such script/;
      await assertFails(
        runStep(machine, "Set-HostsEntry", ["-Entry", '""']),
        "Unexpected",
        unknown,
      );
    }));
});
