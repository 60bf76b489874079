import assert from "node:assert/strict";

import { knownHosts } from "../../../cli/lab/openssh-settings.ts";
import { type Display, watch } from "../../../cli/status/watch.ts";
import {
  clusterNodes,
  labTroubles,
  statusText,
  type LabStatus,
} from "../../../cli/status/report.ts";
import { assertGolden, assertSaid } from "../controlplane/golden.ts";

const here = new URL(import.meta.url);

const linuxNode = {
  name: "kindows-rehearsal-control-plane",
  os: "linux",
  address: "192.168.150.128",
  ready: true,
  version: "v1.36.4",
  runtime: "containerd://2.4.2",
  system: "Debian GNU/Linux 12 (bookworm)",
  deployed: [],
};
const windowsNode = {
  ...linuxNode,
  name: "win-1",
  os: "windows",
  address: "192.168.150.10",
  system: "Windows Server 2022 Datacenter 10.0.20348.4405",
};
const machine = { name: "kindows-rehearsal-win-1", state: "running" };
const healthy: LabStatus = {
  stack: "rehearsal",
  lab: "kindows-rehearsal",
  rehearsal: true,
  nodes: [linuxNode, windowsNode],
  machines: [machine],
  outputs: {
    kubeconfig: "secret-kubeconfig",
    sshPrivateKey: "secret-key",
    controlPlane: {
      endpoint: "kindows-rehearsal-control-plane:6443",
      hostsEntries: [{ address: "192.168.150.128", name: "kindows-rehearsal-control-plane" }],
      kubernetesVersion: "1.36.4",
      nodeNames: ["kindows-rehearsal-control-plane"],
    },
    nodes: [
      {
        name: "win-1",
        os: "windows",
        address: "192.168.150.10",
        hostKey: "ssh-ed25519 AAAA win-1",
        sshUser: "Administrator",
      },
    ],
  },
  access: {
    kubeconfig: "/k/kubeconfig",
    sshKey: "/k/id_ed25519",
    knownHosts: "/k/known_hosts",
    sshConfig: "/k/ssh_config",
  },
};

describe("a lab's status", () => {
  it("is a table of nodes and machines, and the commands to reach them", () => {
    assertGolden(here, "status.txt", statusText(healthy, "/t/kubectl"));
    assert.deepEqual(labTroubles(healthy), []);
  });

  const cold = { ...windowsNode, ready: false, reason: "container runtime is down" };
  const troubles: Readonly<Record<string, Partial<LabStatus>>> = {
    "a node that is not Ready": { nodes: [linuxNode, cold] },
    "a node that did not join": { nodes: [linuxNode] },
    "a cluster that is silent": { nodes: [], clusterTrouble: "connection refused" },
    "a lab that is off": {
      nodes: [],
      clusterTrouble: "no route to host",
      machines: [{ ...machine, state: "shut off" }],
    },
    "a machine that is off": { machines: [{ ...machine, state: "shut off" }] },
    "a silent libvirt": { machines: [], machineTrouble: "no answer within 60 s" },
  };
  it("is not healthy where something is missing, and says what", () =>
    assertSaid(here, "troubles.txt", troubles, (change) => {
      const status = { ...healthy, ...change };
      const shown = statusText(status, "kubectl").split("\n\n").slice(0, 2).join("\n");
      const troubles = labTroubles(status);
      assert.ok(troubles.length > 0);
      return `${shown}\n${troubles.join("; ")}`;
    }));

  it("is healthy before the user has installed a pod network, as long as kubelets report", () => {
    const waiting = { ...cold, reports: true };
    const status = { ...healthy, awaitsPodNetwork: true, nodes: [linuxNode, waiting] };
    assert.deepEqual(labTroubles(status), []);
    assert.match(
      statusText(status, "kubectl"),
      /win-1 is not Ready: container runtime is down\nNodes become Ready when you have installed a pod network/,
    );
    const silent = { ...status, nodes: [linuxNode, { ...cold, reports: false }] };
    assert.equal(labTroubles(silent).length, 1);
    assert.doesNotMatch(statusText(silent, "kubectl"), /pod network/);
    assert.equal(labTroubles({ ...status, awaitsPodNetwork: false }).length, 1);
  });

  it("is that of its own nodes: another's Node that is not Ready is shown, and does not count", () => {
    const theirs = { ...cold, name: "theirs" };
    const status = { ...healthy, nodes: [linuxNode, windowsNode, theirs] };
    assert.deepEqual(labTroubles(status), []);
    assert.match(statusText(status, "kubectl"), /theirs is not Ready: .*\ntheirs is not a node of/);
    assert.deepEqual(labTroubles({ ...status, nodes: [windowsNode, theirs] }), [
      "kindows-rehearsal-control-plane has not joined",
    ]);
  });
});

describe("the status of a node with programs of the user's own", () => {
  it("names them, that `up` keeps them, and what takes them back; the node is healthy", () => {
    const insteadOf = "";
    const deployed = {
      kubelet: { sha256: "1", insteadOf },
      "cniPlugins=a.exe": { sha256: "2", insteadOf },
    };
    const listed = JSON.stringify({
      items: [
        {
          metadata: {
            ...{ name: "win-1", uid: "x" },
            annotations: { "kindows.dev/deployed": JSON.stringify(deployed) },
          },
          status: { conditions: [{ type: "Ready", status: "True" }] },
        },
      ],
    });
    const status = { ...healthy, nodes: [linuxNode, ...clusterNodes(listed)] };
    assert.deepEqual(labTroubles(status), []);
    assert.match(
      statusText(status, "kubectl"),
      /^win-1 has your own kubelet, cniPlugins=a\.exe, which `up` keeps: `kindows deploy win-1 --undo` brings/m,
    );
  });
});

describe("nodes as the API server lists them", () => {
  const nodeInfo = {
    kubeletVersion: "v1.36.4",
    operatingSystem: "windows",
    osImage: "Windows Server 2022 Datacenter",
    kernelVersion: "10.0.20348.4405",
    containerRuntimeVersion: "containerd://2.4.2",
  };
  const nodes = (status: object): string =>
    JSON.stringify({
      items: [{ metadata: { name: "win-1", uid: "x" }, status: { nodeInfo, ...status } }],
    });

  it("are Ready by their condition", () => {
    const conditions = [
      { type: "MemoryPressure", status: "False" },
      { type: "Ready", status: "True", reason: "KubeletReady" },
    ];
    const addresses = [
      { type: "Hostname", address: "win-1" },
      { type: "InternalIP", address: "192.168.150.10" },
    ];
    assert.deepEqual(clusterNodes(nodes({ conditions, addresses })), [windowsNode]);
  });

  for (const [name, condition, reason] of [
    ["no condition yet", undefined, "no Ready condition"],
    ["a lost kubelet", { status: "Unknown", message: "Kubelet stopped" }, "Kubelet stopped"],
    ["only a reason", { status: "False", reason: "KubeletNotReady" }, "KubeletNotReady"],
  ] as const) {
    it(`are not Ready with ${name}`, () => {
      const [found] = clusterNodes(
        nodes(condition ? { conditions: [{ type: "Ready", ...condition }] } : {}),
      );
      assert.deepEqual([found?.ready, found?.reason, found?.address], [false, reason, ""]);
    });
  }
});

describe("known_hosts", () => {
  it("pins each machine by address and name, without the key's comment", () =>
    assert.equal(
      knownHosts([
        { name: "win-1", address: "192.168.150.10", hostKey: "ssh-ed25519 AAAA win-1\n" },
        { name: "win-2", address: "192.168.150.11", hostKey: "ssh-ed25519 BBBB" },
      ]),
      "192.168.150.10,win-1 ssh-ed25519 AAAA\n192.168.150.11,win-2 ssh-ed25519 BBBB\n",
    ));
});

const up: LabStatus = { ...healthy, nodes: [windowsNode] };
const stopped = { ...windowsNode, ready: false, reason: "kubelet stopped" };
const notReady: LabStatus = { ...up, nodes: [stopped] };
const silent: LabStatus = { ...up, nodes: [], clusterTrouble: "timeout after 1.5 s" };
const withoutLibvirt: LabStatus = { ...up, machines: [], machineTrouble: "no socket" };

/** What one look shows, and the next one. */
type Seen = LabStatus | "not up";
const cases: Readonly<Record<string, readonly [Seen | undefined, Seen]>> = {
  "everything, the first time": [undefined, up],
  "that there is nothing yet": [undefined, "not up"],
  "nothing when nothing has changed": [up, up],
  "a node that is not Ready, and why": [up, notReady],
  "a node that is not there any more": [up, { ...up, nodes: [] }],
  "a node that is in the settings no more": [
    up,
    { ...up, nodes: [], outputs: { ...up.outputs, nodes: [] } },
  ],
  "a cluster that is silent, but not that its nodes are gone": [up, silent],
  "a machine that was shut off": [up, { ...up, machines: [{ ...machine, state: "shut off" }] }],
  "a libvirt that is silent": [up, withoutLibvirt],
  "a libvirt that answers again": [withoutLibvirt, up],
  "a lab that went down": [up, "not up"],
};

/** A display that keeps what is written on it. */
function recorder(size: Partial<Display> = {}): { display: Display; written: string[] } {
  const written: string[] = [];
  return { written, display: { ...size, write: (text) => written.push(text) } };
}

const at = new Date(2026, 0, 2, 3, 4, 5);

/** Watches through the given looks, then ends. */
async function watchThrough(looks: readonly (Seen | Error)[], display: Display): Promise<void> {
  const end = new AbortController();
  const rest = [...looks];
  await watch({
    examine: () => {
      const next = rest.shift();
      if (next === undefined) end.abort();
      if (next instanceof Error) return Promise.reject(next);
      return Promise.resolve(next === "not up" ? undefined : next);
    },
    report: (status) => (status === undefined ? "not up" : `report of ${status.stack}`),
    display,
    intervalSeconds: 0.001,
    signal: end.signal,
    now: () => at,
  });
}

describe("watching a lab's status", () => {
  /** What is printed where there is no terminal, without the time. */
  async function linesOf(...looks: readonly (Seen | Error)[]): Promise<readonly string[]> {
    const { display, written } = recorder();
    await watchThrough(looks, display);
    assert.ok(written.every((line) => line.startsWith("03:04:05 ")));
    return written.map((line) => line.replace("03:04:05 ", "").trimEnd());
  }

  it("tells what has changed", async () => {
    await assertSaid(here, "changes.txt", cases, async ([before, after]) => {
      const known = before === undefined ? [] : [before];
      const atFirst = await linesOf(...known);
      return (await linesOf(...known, after)).slice(atFirst.length);
    });
  });

  it("prints a line with the time for each change where there is no terminal", async () => {
    assert.deepEqual(await linesOf("not up", up, up, notReady, new Error("state"), up), [
      "stack: not up",
      "stack: up",
      "cluster: answers",
      "node win-1: Ready",
      "machine kindows-rehearsal-win-1: running",
      "node win-1: not Ready: kubelet stopped",
      "cannot examine the lab: state",
      "node win-1: Ready",
    ]);
  });

  it("redraws the report on a terminal, each time all of it", async () => {
    const { display, written } = recorder({ isTTY: true, columns: 40, rows: 10 });
    await watchThrough([up, up], display);
    assert.equal(written.length, 2);
    assert.match(written[0] ?? "", /^\u001b\[2J\u001b\[Hreport of rehearsal\u001b\[K\n/);
    assert.match(written[1] ?? "", /^\u001b\[Hreport of rehearsal\u001b\[K\n.*\n03:04:05, every/s);
  });
});
