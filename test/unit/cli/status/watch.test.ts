import assert from "node:assert/strict";

import { changesBetween, factsOf } from "../../../../cli/status/changes.ts";
import type { LabStatus } from "../../../../cli/status/report.ts";
import { redraw } from "../../../../cli/status/screen.ts";
import { watch, type Display } from "../../../../cli/status/watch.ts";

const node = { os: "windows" as const, version: "v1", system: "", runtime: "", address: "" };
const machine = { name: "kindows-a-win-1", state: "running" };
const up: LabStatus = {
  ...{ stack: "a", lab: "kindows-a", rehearsal: true },
  ...{ nodes: [{ ...node, name: "win-1", ready: true }], machines: [machine] },
  outputs: {
    ...{ kubeconfig: "secret-kubeconfig", sshPrivateKey: "secret-key" },
    controlPlane: { endpoint: "", hostsEntries: [], kubernetesVersion: "" },
    nodes: [{ ...node, name: "win-1", hostKey: "", sshUser: "" }],
  },
  access: { kubeconfig: "", sshKey: "", knownHosts: "" },
};
const notReady: LabStatus = {
  ...up,
  nodes: [{ ...node, name: "win-1", ready: false, reason: "kubelet stopped" }],
};
const silent: LabStatus = { ...up, nodes: [], clusterTrouble: "timeout after 1.5 s" };
const withoutLibvirt: LabStatus = { ...up, machines: [], machineTrouble: "no socket" };

/** What is told after one look has shown this, and the next one that. */
type Seen = LabStatus | "not up";
const cases: Readonly<Record<string, readonly [Seen | undefined, Seen, readonly string[]]>> = {
  "everything, the first time": [
    undefined,
    up,
    [...["stack: up", "cluster: answers", "node win-1: Ready"], "machine kindows-a-win-1: running"],
  ],
  "that there is nothing yet": [undefined, "not up", ["stack: not up"]],
  "nothing when nothing has changed": [up, up, []],
  "a node that is not Ready, and why": [up, notReady, ["node win-1: not Ready: kubelet stopped"]],
  "a node that is not there any more": [up, { ...up, nodes: [] }, ["node win-1: not joined"]],
  "a node that is in the settings no more": [
    up,
    { ...up, nodes: [], outputs: { ...up.outputs, nodes: [] } },
    ["node win-1: gone"],
  ],
  "a cluster that is silent, but not that its nodes are gone": [
    up,
    silent,
    ["cluster: does not answer: timeout after 1.5 s"],
  ],
  "nothing when it is silent in other words": [
    silent,
    { ...silent, clusterTrouble: "timeout after 1.6 s" },
    [],
  ],
  "a machine that was shut off": [
    up,
    { ...up, machines: [{ ...machine, state: "shut off" }] },
    ["machine kindows-a-win-1: shut off"],
  ],
  "a libvirt that is silent": [
    up,
    withoutLibvirt,
    ["libvirt: does not tell its machines: no socket"],
  ],
  "a libvirt that answers again": [
    withoutLibvirt,
    up,
    ["machine kindows-a-win-1: running", "libvirt: answers"],
  ],
  "a lab that went down": [
    up,
    "not up",
    ["stack: not up", "cluster: gone", "node win-1: gone", "machine kindows-a-win-1: gone"],
  ],
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
    look: () => {
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
  for (const [what, [before, after, lines]] of Object.entries(cases)) {
    it(`tells ${what}`, () => {
      const seen = (status: Seen): LabStatus | undefined =>
        status === "not up" ? undefined : status;
      const facts = before === undefined ? new Map() : factsOf(seen(before));
      assert.deepEqual(changesBetween(facts, factsOf(seen(after), facts)), lines);
    });
  }

  it("prints a line with the time for each change where there is no terminal", async () => {
    const { display, written } = recorder();
    await watchThrough(["not up", up, up, notReady, new Error("state"), up], display);
    assert.deepEqual(
      written.map((line) => line.replace("03:04:05 ", "")),
      [
        "stack: not up\n",
        "stack: up\n",
        "cluster: answers\n",
        "node win-1: Ready\n",
        "machine kindows-a-win-1: running\n",
        "node win-1: not Ready: kubelet stopped\n",
        "cannot look: state\n",
        "node win-1: Ready\n",
      ],
    );
    assert.ok(written.every((line) => line.startsWith("03:04:05 ")));
  });

  it("draws the report anew on a terminal, each time all of it", async () => {
    const { display, written } = recorder({ isTTY: true, columns: 40, rows: 10 });
    await watchThrough([up, up], display);
    assert.equal(written.length, 2);
    assert.match(written[0] ?? "", /^\u001b\[2J\u001b\[Hreport of a\u001b\[K\n/);
    assert.match(written[1] ?? "", /^\u001b\[Hreport of a\u001b\[K\n.*\n03:04:05, every/s);
  });

  it("ends at once in the middle of a look, and of a pause", async () => {
    const { display, written } = recorder();
    const end = new AbortController();
    const options = { report: () => "", display, intervalSeconds: 3600, now: () => at };
    const never = (): Promise<undefined> => new Promise(() => undefined);
    setTimeout(() => end.abort(), 10);
    await watch({ ...options, look: never, signal: end.signal });
    assert.deepEqual(written, []);
    await watch({ ...options, look: () => Promise.resolve(up), signal: AbortSignal.timeout(20) });
    assert.equal(written.length, 4);
  });

  it("leaves the end out of what has no room on the screen", () => {
    const shown = redraw("1\n2\n" + "3".repeat(25) + "\n4\n5", { columns: 10, rows: 6 }, false);
    const text = shown.replaceAll(/\u001b\[[HJK]/g, "");
    assert.equal(text, "1\n2\n... 3 more lines: make the window higher\n");
    assert.ok(!shown.includes("\u001b[2J"));
  });
});
