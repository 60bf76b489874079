/** Machines whose SSH server starts another shell than cmd.exe: steps run there as on others. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Client } from "ssh2";

import {
  inShell,
  type WindowsShell,
  runOnWindows,
  scriptCommand,
  shellOf,
  undoCommand,
} from "../../../../host/ssh/windows-command.ts";
import { joinNode, reset, setHostsEntry } from "../../../../components/windows/steps.ts";
import { openSshKey } from "../../../../rehearsal/machine/default-shell.ts";
import { eachCase } from "../../each-case.ts";
import { connect, remoteSteps } from "./ssh-client.ts";
import { hostFor, joinInput } from "./step-runner.ts";

const limit = (): AbortSignal => AbortSignal.timeout(300_000);

/** Values of DefaultShell. Cluster API's images have PowerShell. */
const shells: Readonly<Record<WindowsShell, string>> = {
  cmd: "C:\\Windows\\System32\\cmd.exe",
  powershell: "C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe", // hashicorp/terraform#31423
  bash: "C:\\Program Files\\Git\\bin\\bash.exe", // PowerShell/Win32-OpenSSH#1083
};

for (const [shell, path] of Object.entries(shells) as [WindowsShell, string][]) {
  describe(`A machine whose SSH server starts ${path}`, () => {
    const machine = hostFor("all");
    let client: Client;
    before(async () => {
      machine.windows.registry.make(openSshKey).set("DefaultShell", path, "String");
      client = await connect(machine);
    });
    after(() => client.end());

    it(`is known to start ${shell}`, async () =>
      assert.equal(await shellOf(client, limit()), shell));

    it("runs a step with every argument as it is", async () => {
      const Entry = "192.168.150.128=control-plane;192.168.150.129=other";
      const command = scriptCommand(remoteSteps, setHostsEntry, { Entry, DnsServers: "" });
      const { exitCode, stdout, stderr } = await runOnWindows(client, command, limit());
      assert.equal(exitCode, 0, stderr);
      assert.match(stdout, /"entries":"192\.168\.150\.128=control-plane;192\.168\.150\.129=other"/);
      const hosts = `${machine.driveC}/Windows/System32/drivers/etc/hosts`;
      assert.match(await readFile(hosts, "utf8"), /192\.168\.150\.129\s+other\s+# kindows/);
    });

    it("gives a step its standard input, and passes its exit code on", async () => {
      const command = scriptCommand(remoteSteps, joinNode, {
        NodeName: "win-1",
        ApiServerEndpoint: "control-plane:6443",
        CriSocket: "npipe:////./pipe/containerd-containerd",
        NodeIp: "192.168.150.11",
        NodeLabels: "",
        NodeTaints: "",
        KubeletArgs: "",
        TimeoutSeconds: 60,
      });
      const { exitCode, stdout } = await runOnWindows(client, command, limit(), joinInput);
      // What it misses only after it has read its secret.
      assert.match(stdout, /"code":"KubernetesMissing"/);
      assert.equal(exitCode, 54);
    });

    eachCase(
      "does only what is there to undo: %s",
      { "no script": ["C:\\none", /^$/], "its script": [remoteSteps, /"step":"Reset-Node"/] },
      async ([folder, printed]) => {
        const end = await runOnWindows(client, undoCommand(folder as string, reset), limit());
        assert.equal(end.exitCode, 0, end.stderr);
        assert.match(end.stdout, printed as RegExp);
      },
    );

    it("takes commands only as its shell writes them", () =>
      assert.equal(inShell(shell, "ver") === "ver", shell === "cmd"));
  });
}
