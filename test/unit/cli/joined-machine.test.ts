import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile, readdir, stat } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import path from "node:path";

import { askClock } from "../../../cli/doctor/clocks.ts";
import { askCluster } from "../../../cli/doctor/examine-lab.ts";
import { collectLogs } from "../../../cli/logs/collect.ts";
import type { NodeMachine } from "../../../cli/lab/lab-state.ts";
import { runJoin } from "../../../cli/doctor/repairs.ts";
import { scriptCommand, windowsOutput } from "../../../host/ssh/windows-command.ts";
import { confirmReboot } from "../../../components/windows/steps.ts";
import type { RehearsedMachine } from "../../rehearsed-machine/in-process.ts";
import { eachCase } from "../each-case.ts";
import { newFolder } from "../new-folder.ts";
import { withFakeApi } from "../controlplane/fake-api.ts";
import { kubeconfig } from "../controlplane/fixture-kubeconfig.ts";
import { loginOf, remoteSteps, stepCommand } from "../rehearsal/machine/ssh-client.ts";
import {
  goodArguments,
  joinInput,
  joinToken,
  prepareThrough,
  startWithSteps,
} from "../rehearsal/machine/step-runner.ts";
import { setVariable } from "../rehearsal/machine/machine-listing.ts";

const hours = 3_600_000;

/** No pattern knows it. */
const knownSecret = "correct horse\nbattery";

describe("a machine that has joined", () => {
  let host: RehearsedMachine;
  let machine: NodeMachine;

  before(async () => {
    host = await startWithSteps();
    await prepareThrough(host, "Join-Node");
    const command = stepCommand("Join-Node", goodArguments(host)["Join-Node"] ?? []);
    const join = { command, input: joinInput };
    const folders = { scripts: remoteSteps, checkFolder: remoteSteps };
    machine = { node: "win-1", ...loginOf(host), ...folders, join };
  });
  after(() => host.stop());

  it("tells its time", async () => {
    const reading = await askClock(machine);
    // It tells whole seconds.
    assert.ok("seconds" in reading && Math.abs(reading.seconds) <= 1, JSON.stringify(reading));
  });

  const troubles: Readonly<Record<string, readonly [Partial<NodeMachine>, RegExp]>> = {
    "it refuses the connection": [{ port: 1 }, /ECONNREFUSED/],
    "it is another one": [{ hostKey: "ssh-ed25519 AAAA" }, /host/i],
    "it does not suit any more, in the step's own words": [
      { node: "win-2" },
      /^Test-WindowsHost on win-2 failed \(HostUnsuitable\): .* is named win-1, expected was win-2/,
    ],
    "it has no such step": [{ checkFolder: "C:\\none" }, /exit code|without a result/],
  };
  eachCase("tells why it does not: %s", troubles, async ([change, trouble]) => {
    const reading = await askClock({ ...machine, ...change });
    assert.match("trouble" in reading ? reading.trouble : "", trouble);
  });

  it("that accepts the connection and says nothing ends in time", async () => {
    const silent = createServer((socket) => socket.resume()).listen(0, machine.host);
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const command = scriptCommand(remoteSteps, confirmReboot, {});
    const asked = windowsOutput({ ...machine, port }, command, 1);
    await assert.rejects(asked, /no end within 1 s/);
    // Closing ends only when the other side has let go.
    await new Promise((resolve) => silent.close(resolve));
  });

  describe("its logs", () => {
    const below = newFolder();
    before(async () => {
      const { drive } = host.windows;
      const log = "C:\\var\\log\\kubelet\\kubelet.log";
      await drive.write(log, `${"x".repeat(2_000_000)}\nwith ${joinToken}\nlast line\n`);
      const forms = [
        knownSecret,
        JSON.stringify(knownSecret),
        Buffer.from(`a:${knownSecret}`).toString("base64"),
      ];
      await drive.write("C:\\var\\log\\containerd\\containerd.log", forms.join("\n"));
      // Calico keeps its kubeconfig here.
      await drive.write("C:\\etc\\cni\\net.d\\calico-kubeconfig", "not to be read");
      await drive.write("C:\\Program Files\\containerd\\config.toml", "not to be read");
      await drive.write("C:\\kindows\\state\\join-configuration.json", joinToken);
      setVariable(host.windows, "HTTPS_PROXY", "http://me:sesame@proxy.test:3128");
    });

    it("come into a folder of their own that only its owner can read, without secrets", async () => {
      const folder = await collectLogs(machine, path.join(below, "logs"), [knownSecret]);
      assert.match(path.basename(folder), /^win-1-\d{4}-\d\d-\d\dT\d{6}$/);
      assert.equal((await stat(folder)).mode & 0o777, 0o700);
      const names = await readdir(folder);
      for (const name of [
        "var_log_kubelet_kubelet.log",
        "services.txt",
        "kindows_state_join.json",
      ]) {
        assert.ok(names.includes(name), `${name} is not among ${names.join(", ")}`);
      }
      const unwanted = /join-configuration|proxy|cni|config\.toml|kubeconfig/;
      assert.deepEqual(
        names.filter((name) => unwanted.test(name)),
        [],
      );
      const containerd = path.join(folder, "var_log_containerd_containerd.log");
      assert.equal(await readFile(containerd, "utf8"), '[redacted]\n"[redacted]"\nYTp[redacted]k=');
      for (const name of names) {
        const file = path.join(folder, name);
        const text = await readFile(file, "utf8");
        assert.equal((await stat(file)).mode & 0o077, 0, name);
        assert.doesNotMatch(text, new RegExp(`${joinToken.replace(".", "\\.")}|sesame`), name);
      }
      const log = await readFile(path.join(folder, "var_log_kubelet_kubelet.log"), "utf8");
      assert.match(log, /x\nwith \[redacted\]\nlast line\n$/);
      assert.ok(log.length < 1_048_577, `${log.length} bytes are more than its end`);
    });

    it("are there also while a step hangs", async () => {
      const { mutexes } = host.windows;
      await mutexes.enter("Global\\kindows-step", 0);
      await collectLogs(machine, below, []);
      mutexes.leave("Global\\kindows-step");
    });

    const wrong: Readonly<Record<string, readonly [Partial<NodeMachine>, RegExp]>> = {
      "a key it does not know": [{ user: "nobody" }, /authentication/i],
      "no scripts": [{ scripts: "C:\\kindows\\steps\\gone" }, /exit code .* does not exist/s],
    };
    eachCase("fail in bounded time with %s", wrong, ([change, message]) =>
      assert.rejects(collectLogs({ ...machine, ...change }, below, []), message),
    );
  });

  describe("joins again:", () => {
    /** What was asked of the API server. */
    async function join(each: NodeMachine): Promise<readonly string[]> {
      let asked: readonly string[] = [];
      await withFakeApi(
        () => [201, { message: "no" }],
        async (_api, requests, server) => {
          asked = requests;
          await runJoin("win-1", { machines: [each], kubeconfig: kubeconfig(server) });
        },
      );
      return asked.map((line) => line.replace(/bootstrap-token-\w+$/, "<token>"));
    }

    it("sets its clock and starts its kubelet, and takes its token back", async () => {
      await host.windows.services.stop("kubelet");
      host.programs.clockOffsetMilliseconds = -5 * hours;
      assert.deepEqual(await join(machine), [
        "POST /api/v1/namespaces/kube-system/secrets",
        "DELETE /api/v1/namespaces/kube-system/secrets/<token>",
      ]);
      assert.ok(Math.abs(host.programs.clockOffsetMilliseconds) < hours);
      assert.equal(await host.windows.services.isRunning("kubelet"), true);
    });

    it("is refused for a node that has not joined", async () => {
      const state = { machines: [{ ...machine, join: undefined }], kubeconfig: "" };
      await assert.rejects(runJoin("win-1", state), /win-1 has not joined yet: run `kindows up`/);
      await assert.rejects(runJoin("win-2", state), /win-2 has not joined yet/);
    });
  });
});

describe("asking an API server", () => {
  it("gives its answers as they are, or tells why there are none", async () => {
    let gone = "";
    await withFakeApi(
      (request) => (gone ? [401, { message: "Unauthorized" }] : [200, { items: [], request }]),
      async (_api, _requests, server) => {
        const answer = await askCluster(kubeconfig(server));
        assert.ok(typeof answer !== "string");
        assert.deepEqual(answer.nodes, { items: [], request: "GET /api/v1/nodes" });
        gone = server;
        assert.equal(await askCluster(kubeconfig(server)), "Unauthorized");
      },
    );
    assert.match(JSON.stringify(await askCluster(kubeconfig(gone))), /ECONNREFUSED/);
  });
});
