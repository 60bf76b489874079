import assert from "node:assert/strict";
import { FailedNodes } from "../../../../cli/logs/failed-nodes.ts";

const output = `Diagnostics:
  pulumi:pulumi:Stack (kindows-dev):
    error: update failed

  command:remote:Command (win-1-a-join-node):
    error: Process exited with status 51: running "powershell.exe ..."

  \u001b[0mcommand:remote:Command (win-2-test-windowshost):\u001b[0m
    \u001b[33mwarning: the evaluation licence ends in 3 days\u001b[0m

  \u001b[0mcommand:local:Command (win-3-registration):\u001b[0m
    \u001b[31m\u001b[1merror: \u001b[0mthe node win-3 was not Ready
`;

describe("nodes that failed", () => {
  it("are those whose resources have errors, told apart by their whole names", () => {
    const failed = new FailedNodes(["win-1", "win-1-a", "win-2", "win-3"]);
    for (const line of output.split("\n")) failed.read(line);
    assert.deepEqual(failed.names, ["win-1-a", "win-3"]);
  });

  it("are none where the lab itself failed", () => {
    const failed = new FailedNodes(["win-1"]);
    failed.read("  docker:index/network:Network (lab-network):");
    failed.read("    error: no Docker");
    assert.deepEqual(failed.names, []);
  });

  it("lack a file where a step says so, and nothing else", () => {
    const failed = new FailedNodes(["win-1", "win-2", "win-3"]);
    const text = `
  command:remote:Command (win-1-install-kubernetes):
    Install-Kubernetes on WIN-1 failed (MediumMissing): C:\\kindows\\media\\kubelet.exe is not there.
    error: Process exited with status 30

  command:remote:Command (win-2-install-containerd):
    Install-Containerd on WIN-2 failed (ChecksumMismatch): it has the SHA-256 0.
    error: Process exited with status 31

  command:remote:Command (win-3-install-containerd):
    Install-Containerd on WIN-3 failed (FileInUse): close it.
    error: Process exited with status 35
`;
    for (const line of text.split("\n")) failed.read(line);
    assert.deepEqual(failed.lackingMedia, ["win-1", "win-2"]);
    assert.deepEqual(failed.names, ["win-1", "win-2", "win-3"]);
  });
});
