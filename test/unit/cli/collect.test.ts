import assert from "node:assert/strict";
import { readFile, readdir, stat } from "node:fs/promises";
import path from "node:path";
import { collectLogs } from "../../../cli/logs/collect.ts";
import { labState, type NodeMachine } from "../../../cli/lab/lab-state.ts";
import { parseDeployment, type StateResource } from "../../../cli/engine/deployment.ts";
import type { RehearsalHost } from "../../rehearsed-machine/in-process.ts";
import { eachCase } from "../each-case.ts";
import { newFolder } from "../new-folder.ts";
import { adminKey, remoteSteps } from "../rehearsal-host/ssh-client.ts";
import { joinToken, prepareThrough, startWithSteps } from "../rehearsal-host/step-runner.ts";
import { component, connection, deployment, resource, secret } from "./state-builder.ts";
import { loginOf } from "./rehearsal-machine.ts";
import { setVariable } from "../rehearsal-host/machine-listing.ts";

describe("logs of a machine", () => {
  let host: RehearsalHost;
  const below = newFolder();
  let source: NodeMachine;

  before(async () => {
    host = await startWithSteps({ hostName: "win-1", authorizedKeys: [adminKey.public] });
    await prepareThrough(host, "Join-Node");
    source = { node: "win-1", ...loginOf(host), scripts: remoteSteps, checkFolder: remoteSteps };
    const { drive } = host.windows;
    const log = "C:\\var\\log\\kubelet\\kubelet.log";
    await drive.write(log, `${"x".repeat(2_000_000)}\nwith ${joinToken}\nlast line\n`);
    await drive.write("C:\\kindows\\state\\join-configuration.json", joinToken);
    setVariable(host.windows, "HTTPS_PROXY", "http://me:sesame@proxy.test:3128");
  });
  after(() => host.stop());

  it("come into a folder of their own that only its owner can read, without secrets", async () => {
    const folder = await collectLogs(source, path.join(below, "logs"));
    assert.match(path.basename(folder), /^win-1-\d{4}-\d\d-\d\dT\d{6}$/);
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
    const names = await readdir(folder);
    for (const name of ["var_log_kubelet_kubelet.log", "services.txt", "kindows_state_join.json"]) {
      assert.ok(names.includes(name), `${name} is not among ${names.join(", ")}`);
    }
    assert.ok(!names.some((name) => name.includes("join-configuration")));
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
    await collectLogs(source, below);
    mutexes.leave("Global\\kindows-step");
  });

  const wrong: Readonly<Record<string, readonly [Partial<NodeMachine>, RegExp]>> = {
    "a key it does not know": [{ user: "nobody" }, /authentication/i],
    "no scripts": [{ scripts: "C:\\kindows\\steps\\gone" }, /exit code .* does not exist/s],
  };
  eachCase("fail in bounded time with %s", wrong, ([change, message]) =>
    assert.rejects(collectLogs({ ...source, ...change }, below), message),
  );
});

describe("machines whose logs can be had", () => {
  it("are those that have their scripts, with the connection the state knows", () => {
    const outputs = { connection: secret({ ...connection, privateKey: secret("KEY") }) };
    const parts = (node: string, ...steps: Partial<StateResource>[]): StateResource[] => {
      const it = component("kindows:windows:WindowsNode", node, { node, checkFolder: "C:\\k" });
      return [
        component("kindows:machine:HyperVMachine", node, { node }, { outputs }),
        it,
        resource("command:remote:CopyToRemote", `${node}-home`, { parent: it.urn }),
        ...steps.map((rest) =>
          resource("command:remote:Command", `${node}-steps`, { parent: it.urn, ...rest }),
        ),
      ];
    };
    const state = deployment([
      ...[...parts("win-1", {}), ...parts("win-2"), ...parts("win-3", { delete: true })],
      component("kindows:machine:ExistingMachine", "lin-1", { node: "lin-1" }, { outputs }),
    ]);
    const scripts = "C:\\kindows\\steps\\Export-NodeLog";
    assert.deepEqual(labState(parseDeployment(JSON.stringify(state))).machines, [
      { node: "win-1", ...connection, scripts, checkFolder: "C:\\k", join: undefined },
    ]);
  });
});
