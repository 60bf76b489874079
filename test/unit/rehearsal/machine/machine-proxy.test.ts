import assert from "node:assert/strict";
import {
  assertDone,
  goodArguments,
  hostFor,
  plantFaults,
  prepareThrough,
  runGood,
  runStep,
} from "./step-runner.ts";
import { proxyVariables, setServiceVariables, setVariable } from "./machine-listing.ts";

const variables = [
  "HTTP_PROXY=http://proxy.test:3128",
  "HTTPS_PROXY=http://proxy.test:3128",
  "NO_PROXY=localhost,.svc,10.96.0.0/16",
];
const none = ["-HttpProxy", '""', "-HttpsProxy", '""', "-NoProxy", '""'];

describe("Set-MachineProxy, rehearsed", () => {
  const machine = hostFor("each");

  const set = (args = goodArguments(machine)["Set-MachineProxy"]): ReturnType<typeof runStep> =>
    runStep(machine, "Set-MachineProxy", args);

  it("before containerd is there: containerd gets it when it is registered", async () => {
    await prepareThrough(machine, "Confirm-Reboot");
    await assertDone(set(), true);
    assert.equal(proxyVariables(machine.windows)["NO_PROXY"], "localhost,.svc,10.96.0.0/16");
    await assertDone(set(), false);
    const { services } = machine.windows;
    await assertDone(runGood(machine, "Install-Containerd"));
    assert.deepEqual(services.environment("containerd"), variables);
  });

  it("on a node that has joined: both services are restarted with it, once", async () => {
    await prepareThrough(machine, "Join-Node");
    const { services } = machine.windows;
    const starts = (program: string): number =>
      machine.programs.commands.filter((line) => line.includes(`${program} --c`)).length;
    const before = [starts("containerd.exe"), starts("kubelet.exe")];
    await assertDone(set(), true);
    assert.deepEqual(services.environment("containerd"), variables);
    assert.deepEqual(services.environment("kubelet"), variables);
    assert.deepEqual(
      [starts("containerd.exe"), starts("kubelet.exe")],
      before.map((count) => count + 1),
    );
    await assertDone(set(), false);
    assert.equal(await services.isRunning("kubelet"), true);
  });

  it("goes, and what the machine had of its own comes back", async () => {
    await prepareThrough(machine, "Join-Node");
    const { windows } = machine;
    setVariable(windows, "HTTPS_PROXY", "http://old.test:8080");
    setServiceVariables(windows, "containerd", ["OTHER=1"]);
    await set();
    assert.deepEqual(windows.services.environment("containerd"), ["OTHER=1", ...variables]);
    const starts = machine.programs.commands.length;
    await assertDone(set(none), true);
    // A restarted kubelet would register the Node again that was deleted just before.
    assert.equal(machine.programs.commands.length, starts);
    assert.deepEqual(proxyVariables(windows), { HTTPS_PROXY: "http://old.test:8080" });
    assert.deepEqual(windows.services.environment("containerd"), [
      "OTHER=1",
      "HTTPS_PROXY=http://old.test:8080",
    ]);
    await assertDone(set(none), false);
  });

  it("finishes what a run left half done: the services stood still", async () => {
    await prepareThrough(machine, "Join-Node");
    await plantFaults(machine, { kind: "fail", step: "Set-MachineProxy" });
    assert.equal((await set()).exitCode, 10);
    await assertDone(set(), true);
    assert.deepEqual(machine.windows.services.environment("kubelet"), variables);
    assert.equal(await machine.windows.services.isRunning("kubelet"), true);
  });

  for (const text of ["", '{"HTTP_PROXY":"ht']) {
    it(`goes where a power cut has left '${text}' of what there was before`, async () => {
      await set();
      await machine.windows.drive.write("C:\\kindows\\state\\proxy.json", text);
      await assertDone(set(none), true);
      assert.deepEqual(proxyVariables(machine.windows), {});
    });
  }

  it("refuses logins and what is no proxy", async () => {
    for (const proxy of ["http://user:secret@proxy.test:3128", "proxy.test:3128", "socks5://p:1"]) {
      const result = await set(["-HttpProxy", proxy, "-HttpsProxy", '""', "-NoProxy", '""']);
      assert.equal(result.exitCode, 1, proxy);
    }
    assert.deepEqual(proxyVariables(machine.windows), {});
  });
});
