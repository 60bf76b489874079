import assert from "node:assert/strict";

import { Slots } from "../../../toolchain/slots.ts";
import type { Details } from "../../../verify/cluster/snapshot.ts";
import { ClusterView } from "../../../verify/cluster/view.ts";
import type { RowResult } from "../../../verify/result.ts";
import type { Printed, ShellCommand } from "../../../verify/run/shell-command.ts";
import type { ProbeFailure } from "../../../verify/run/probe.ts";
import { podMetrics } from "../../../verify/run/pod-metrics.ts";
import type { Probe } from "../../../verify/run/probe.ts";
import { rowSeconds, runRows, waitingText } from "../../../verify/run/run-rows.ts";
import { selectRows } from "../../../verify/rows/select.ts";
import { eachCase } from "../each-case.ts";
import { fullFacts, healthy, linuxNode, onHosts, rolePod, waitingPod } from "./cluster-states.ts";

interface Fake {
  readonly details?: Details | Error;
  readonly attempt?: (probe: Probe) => ProbeFailure | undefined;
  readonly run?: (command: ShellCommand) => Printed;
  readonly summary?: unknown;
  readonly aborted?: boolean;
  readonly rehearsal?: boolean;
  /** For each row. Everything is tried once, however short it is. */
  readonly seconds?: number;
}

/** Runs rows against a cluster of the test's own. */
async function results(
  patterns: readonly string[],
  fake: Fake = {},
): Promise<readonly RowResult[]> {
  const { details: state = healthy, seconds: timeoutSeconds = 3600 } = fake;
  const details = (): Promise<Details> =>
    state instanceof Error ? Promise.reject(state) : Promise.resolve(state);
  return runRows(
    selectRows(patterns),
    { ...fullFacts, rehearsal: fake.rehearsal === true },
    {
      view: new ClusterView(details, 10),
      details,
      attempt: (probe) => Promise.resolve(fake.attempt?.(probe)),
      tried: ({ url }) => `curl ${url}`,
      inPod: (pod, container, words) => ({ program: "run", args: [pod, container, ...words] }),
      run: (command) =>
        Promise.resolve(fake.run?.(command) ?? { exitCode: 1, stdout: "", stderr: "no" }),
      get: () => Promise.resolve(fake.summary),
      outside: {
        host: { url: "http://192.168.150.1:1/", greeting: "x" },
        internet: { url: "http://www.example.test/", text: "x" },
      },
      slots: new Slots(2),
      signal: fake.aborted === true ? AbortSignal.abort() : new AbortController().signal,
    },
    { timeoutSeconds, say: () => undefined },
  );
}

/** How one row comes out; a regular expression is what a text has to fit. */
type Expected = Partial<Record<keyof RowResult, unknown>>;

async function comesOut(id: string, fake: Fake, expected: Expected): Promise<void> {
  const [result] = await results([id], fake);
  assert.ok(result);
  for (const [name, value] of Object.entries(expected)) {
    const found: unknown = result[name as keyof RowResult];
    if (value instanceof RegExp) assert.match(String(found), value);
    else assert.deepEqual(found, value);
  }
}

const lost = (): ProbeFailure => ({ kind: "lost", text: "curl: (28)" });
const seconds = 0.02;

describe("running rows", () => {
  const otherNode = "linux-pod-to-linux-pod-other-node";
  const unpulled = healthy.pods.map((pod) =>
    waitingPod(pod, "ErrImagePull", "dial tcp: lookup registry.example: no such host"),
  );
  const cases: Readonly<Record<string, readonly [id: string, Fake, Expected]>> = {
    "passes a row when all of its connections work, and tells what was tried": [
      otherNode,
      {},
      {
        status: "passed",
        tried: ["curl http://10.244.1.3:8080/hostname", "curl http://10.244.0.3:8080/hostname"],
      },
    ],
    "fails one connection of several, with what it said and the reason in the cluster": [
      otherNode,
      { attempt: ({ url }) => (url.includes("10.244.0.3") ? lost() : undefined), seconds },
      {
        ...{ status: "failed", seen: "curl: (28)" },
        reason: /^no answer within 4 s from linux-client-linux-b on linux-b/,
        tried: ["curl http://10.244.0.3:8080/hostname"],
      },
    ],
    "waits for pods, and says why they did not come": [
      "linux-pod-to-host",
      { details: { ...healthy, pods: unpulled }, seconds },
      {
        status: "failed",
        reason:
          /the image registry\.example\/agnhost:1 cannot be pulled on linux-a.*\(and 1 more\)$/,
        seen: "not Ready: linux-client on linux-a, linux-client on linux-b",
      },
    ],
    "says so when the API server does not answer": [
      "linux-pod-to-host",
      { details: new Error("connect ECONNREFUSED"), seconds },
      { reason: "the API server does not answer: connect ECONNREFUSED" },
    ],
    "does not pass what there was nothing to try for": [
      otherNode,
      { details: { ...healthy, nodes: [linuxNode] } },
      { status: "failed", reason: "there are no nodes left for it" },
    ],
    "shows what cannot be run as such, with no time spent": [
      "windows-pod-to-linux-pod",
      { rehearsal: true },
      { status: "not-runnable", reason: /^needs Windows/, seconds: 0 },
    ],
    "ends when it is interrupted": [
      "linux-pod-to-host",
      { aborted: true, attempt: lost },
      { status: "failed" },
    ],
    "passes in a rehearsal what Linux did": [
      "linux-pod-to-linux-service",
      { rehearsal: true },
      { status: "passed" },
    ],
  };
  eachCase("%s", cases, ([id, fake, expected]) => comesOut(id, fake, expected));

  for (const id of ["linux-pod-to-windows-host-pod", "windows-node-to-host"]) {
    it(`does not pass in a rehearsal what a HostProcess container did under Wine, and fails what it did not: ${id}`, async () => {
      const there: Fake = { details: onHosts, rehearsal: true };
      await comesOut(id, there, { status: "rehearsed", reason: /^HostProcess under Wine:/ });
      await comesOut(id, { ...there, rehearsal: false }, { status: "passed" });
      await comesOut(id, { ...there, attempt: lost, seconds }, { status: "failed" });
    });
  }

  it("says beside a failure that nobody has seen such a row work on Windows yet", () =>
    comesOut(
      "windows-node-to-linux-service",
      { details: onHosts, attempt: lost, seconds },
      { status: "failed", reason: /.\(not seen yet on Windows\)$/ },
    ));

  it("tries again what does not work at once", async () => {
    let calls = 0;
    const attempt = () => (++calls < 4 ? lost() : undefined);
    await comesOut("linux-pod-to-host", { attempt }, { status: "passed" });
    assert.equal(calls >= 4, true);
  });

  it("tries again where the first attempt took longer than everything needs to settle", async () => {
    const { now } = Date;
    let calls = 0;
    const attempt = (): ProbeFailure | undefined => {
      if (++calls > 1) return undefined;
      Date.now = () => now() + 40_000;
      return lost();
    };
    try {
      await comesOut("linux-pod-to-host", { attempt }, { status: "passed" });
    } finally {
      Date.now = now;
    }
  });

  it("fails only the rows that something is wrong with", async () => {
    const all = await results(["linux-pod-to-linux-*", "linux-pod-to-host"], {
      attempt: ({ service }) => (service === "linux" ? lost() : undefined),
      seconds,
    });
    const failed = all.filter(({ status }) => status === "failed").map(({ row }) => row.id);
    const ids = ["service", "service-name", "node-port"].map((to) => `linux-pod-to-linux-${to}`);
    assert.deepEqual(failed, ids);
  });
});

describe("the samples' rows", () => {
  const settings = rolePod({ os: "linux", part: "client" }, "linux-a", "10.244.0.7");
  const withPods = (os: string): Details => ({
    ...{ ...healthy, nodes: [linuxNode] },
    pods: [{ ...settings, metadata: { name: `settings-${os}` } }],
  });
  const [linux, windows] = ["linux", "windows"].map(withPods) as [Details, Details];
  const answers: Readonly<Record<string, string>> = {
    SETTINGS_USERNAME: "admin",
    "/settings/secret/password": "1f2d1e2e67df",
    SETTINGS_PROPERTY: "hello",
    "/settings/config/example.property.2": "world",
    "echo from the other container > /shared/note": "",
    "/shared/note": "from the other container",
    "/node/hosts": "127.0.0.1 localhost",
  };
  const printing =
    (change: Readonly<Record<string, string>>) =>
    ({ args }: ShellCommand): Printed => {
      const stdout = { ...answers, ...change }[args.at(-1) ?? ""] ?? "unknown";
      return { exitCode: 0, stdout: `${stdout}\n`, stderr: "" };
    };
  const wrong = { "/settings/secret/password": "sesame" };

  it("pass when everything is in the containers", async () => {
    const [all] = await results(["linux-settings"], { details: linux, run: printing({}) });
    assert.deepEqual([all?.status, all?.reason, all?.tried.length], ["passed", "", 7]);
  });

  const cases: Readonly<Record<string, readonly [id: string, Fake, Expected]>> = {
    "fail at the first thing that is not there, and do not print what is in its place": [
      "linux-settings",
      { details: linux, run: printing(wrong) },
      {
        reason: "the secret as a file does not exist",
        seen: "6 characters that are not what the sample has",
      },
    ],
    "are rehearsed, not passed, where containers are modelled": [
      "windows-settings",
      { details: windows, rehearsal: true },
      { status: "rehearsed", reason: /kubelet\.exe .* modelled/ },
    ],
    "are not run where kubelet cannot measure a pod": [
      "windows-metrics",
      { details: windows, summary: metrics("settings-windows"), rehearsal: true },
      { status: "not-runnable" },
    ],
    "pass when kubelet has measured the pod": [
      "linux-metrics",
      { details: linux, summary: metrics("settings-linux") },
      { status: "passed" },
    ],
    "fail when kubelet has not measured the pod": [
      "linux-metrics",
      { details: linux, summary: metrics("another"), seconds },
      { status: "failed", seen: "no metrics of settings-linux among those of 1 pods" },
    ],
    "fail without a pod": [
      "linux-settings",
      { seconds },
      { reason: "there is no pod of settings-linux" },
    ],
  };
  eachCase("%s", cases, ([id, fake, expected]) => comesOut(id, fake, expected));
});

describe("kubelet's summary", () => {
  it("gives processor time and memory of a pod", () => {
    const expected = { cpuNanoSeconds: 7, memoryBytes: 9 };
    assert.deepEqual(podMetrics(metrics("a"), "kindows-verify", "a"), expected);
  });

  it("may not have measured it yet", () => {
    const summary = { pods: [{ podRef: { name: "a", namespace: "kindows-verify" }, cpu: {} }] };
    assert.deepEqual(podMetrics(summary, "kindows-verify", "a"), { missing: "no memory of a" });
  });

  it("is nothing else", () =>
    assert.throws(() => podMetrics({ items: [] }, "kindows-verify", "a")));
});

describe("time", () => {
  it("is longer where images of Windows are pulled", () => {
    for (const [id, rehearsal, expected] of [
      ["linux-pod-to-host", false, 120],
      ["linux-pod-to-windows-pod", false, 1200],
      ["windows-settings", false, 1200],
      ["windows-settings", true, 300],
      ["linux-settings", true, 120],
    ] as const) {
      assert.equal(rowSeconds(selectRows([id])[0] ?? assert.fail(id), rehearsal), expected);
    }
  });

  it("is not spent in silence", () => {
    const text = "3 of 9 rows done; waiting for a pod (2 rows), its connections (1 row), b (1 row)";
    assert.equal(waitingText(3, 9, ["a pod", "its connections", "a pod", "b", "c"]), text);
  });
});

function metrics(name: string): object {
  const podRef = { name, namespace: "kindows-verify", uid: "1" };
  const used = { cpu: { usageCoreNanoSeconds: 7 }, memory: { workingSetBytes: 9 } };
  return { node: { nodeName: "linux-a" }, pods: [{ podRef, ...used }] };
}
