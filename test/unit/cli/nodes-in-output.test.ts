import assert from "node:assert/strict";
import { FailedNodes } from "../../../cli/logs/failed-nodes.ts";
import { NodeStages } from "../../../cli/stages/node-stages.ts";
import { stages } from "../../../cli/stages/stages.ts";

/** Seconds of the run, and what the engine prints then. */
const run: readonly (readonly [number, string])[] = [
  [0, "Updating (dev):"],
  [0, " +  pulumi:pulumi:Stack kindows-dev creating (0s)"],
  [1, " +  libvirt:index/volume:Volume win-1-disk creating (0s)"],
  [2, " +  libvirt:index/volume:Volume win-1-disk created (1s)"],
  [2, " +  libvirt:index/domain:Domain win-1 creating (0s)"],
  [3, " +  command:remote:CopyToRemote \u001b[1mwin-1-home\u001b[0m creating (0s)"],
  [4, " +  command:remote:CopyToRemote win-1-a-home creating (0s)"],
  [20, " +  command:remote:Command win-1-steps creating (0s)"],
  [25, " +  command:remote:Command win-1-test-windowshost creating (0s)"],
  [30, " +  command:remote:CopyToRemote win-1-push-kubelet creating (0s)"],
  [30, " +  command:remote:Command win-1-install-containerd creating (0s)"],
  [31, " +  command:remote:CopyToRemote win-1-push-kubeadm creating (0s)"],
  [40, " +  command:remote:Command win-1-join-node creating (0s)"],
  [70, " +  command:local:Command win-1-ready creating (0s)"],
  [75, " +  command:local:Command win-1-ready created (5s)"],
  [76, " +  kindows:windows:WindowsNode win-1 created (74s)"],
];

const windows = (name: string) => ({ name, os: "windows" as const });

describe("stages of nodes", () => {
  function told(lines: typeof run): string[] {
    let now = 0;
    const nodes = new NodeStages([windows("win-1"), windows("win-1-a")], () => now * 1000);
    return lines.flatMap(([second, line]) => {
      now = second;
      return nodes.read(line) ?? [];
    });
  }

  it("are told once each, with the time so far, and accounted for when the node is Ready", () =>
    assert.deepEqual(told(run), [
      "win-1 gets its disk",
      "win-1 boots (2 s so far)",
      "win-1-a boots",
      "win-1 is looked at (24 s so far)",
      "win-1 gets its programs (29 s so far)",
      "win-1 gets containerd (29 s so far)",
      "win-1 joins the cluster (39 s so far)",
      "win-1 becomes Ready (1 min 09 s so far)",
      "win-1 is Ready after 1 min 14 s: disk 2 s, boot 22 s, host check 5 s, programs 0 s, " +
        "containerd 10 s, join 30 s, Ready 5 s",
    ]));

  it("are those of an upgrade, too: only what is done is told", () => {
    const lines: typeof run = [
      [0, " ~  command:remote:Command win-1-install-kubernetes updating (0s) [diff: ~create]"],
      [9, " ~  command:remote:Command win-1-install-kubernetes updated (9s) [diff: ~create]"],
      [9, " ~  command:local:Command win-1-ready updating (0s) [diff: ~triggers]"],
      [12, " ~  command:local:Command win-1-ready updated (3s) [diff: ~triggers]"],
    ];
    assert.deepEqual(told(lines), [
      "win-1 gets kubelet",
      "win-1 becomes Ready (9 s so far)",
      "win-1 is Ready after 12 s: kubelet 9 s, Ready 3 s",
    ]);
  });

  it("are none of resources that go, of the lab's own, and of what only looks like one", () => {
    const lines = [
      " -  command:remote:Command win-1-join-node deleting (0s)",
      " -  command:remote:Command win-1-join-node deleted (2s)",
      " +  docker:index/network:Network lab-network creating (0s)",
      "    win-1-join-node creating",
      "error: win-1-ready created",
    ];
    assert.deepEqual(told(lines.map((line) => [0, line])), []);
  });

  it("can be asked for while nothing happens", () => {
    let now = 0;
    const nodes = new NodeStages([windows("win-1"), windows("win-2")], () => now);
    assert.equal(nodes.underWay, undefined);
    nodes.read(" +  command:remote:CopyToRemote win-1-home creating (0s)");
    nodes.read(" +  command:remote:Command win-2-join-node creating (0s)");
    now = 65_000;
    assert.equal(nodes.underWay, "win-1 boots (1 min 05 s), win-2 joins the cluster (1 min 05 s)");
  });

  it("are those of the steps' titles, in the steps' order, for each system", () => {
    assert.deepEqual(
      stages.windows.map(({ noun }) => noun).join(),
      "disk,boot,host check,feature,reboot,proxy,programs,containerd,kubelet,network,Flannel,join,routes,Ready",
    );
    assert.deepEqual(
      stages.linux.map(({ noun }) => noun).join(),
      "disk,boot,host check,programs,unpacking,join,Ready",
    );
  });
});

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
  function read(nodes: readonly string[], text: string): FailedNodes {
    const failed = new FailedNodes(nodes);
    for (const line of text.split("\n")) failed.read(line);
    return failed;
  }

  it("are those whose resources have errors, told apart by their whole names", () => {
    const { names } = read(["win-1", "win-1-a", "win-2", "win-3"], output);
    assert.deepEqual(names, ["win-1-a", "win-3"]);
  });

  it("are none where the lab itself failed", () => {
    const text = "  docker:index/network:Network (lab-network):\n    error: no Docker";
    assert.deepEqual(read(["win-1"], text).names, []);
  });

  it("lack a file where a step says so, and nothing else", () => {
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
    const failed = read(["win-1", "win-2", "win-3"], text);
    assert.deepEqual(failed.lackingMedia, ["win-1", "win-2"]);
    assert.deepEqual(failed.names, ["win-1", "win-2", "win-3"]);
  });
});
