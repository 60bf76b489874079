import assert from "node:assert/strict";

import { Slots } from "../../../toolchain/slots.ts";
import type { Details } from "../../../verify/cluster/snapshot.ts";
import { ClusterView } from "../../../verify/cluster/view.ts";
import type { RowResult } from "../../../verify/result.ts";
import type { Printed, ShellCommand } from "../../../verify/run/shell-command.ts";
import type { ProbeFailure } from "../../../verify/run/probe-failure.ts";
import { podMetrics } from "../../../verify/run/pod-metrics.ts";
import type { Probe } from "../../../verify/run/probe.ts";
import { rowSeconds, runRows } from "../../../verify/run/run-rows.ts";
import { waitingText } from "../../../verify/run/waiting.ts";
import { selectRows } from "../../../verify/rows/select.ts";
import { fullFacts, healthy, linuxNode, onHosts, rolePod, waitingPod } from "./cluster-states.ts";

interface Fake {
  readonly details?: () => Promise<Details>;
  readonly attempt?: (probe: Probe) => ProbeFailure | undefined;
  readonly run?: (command: ShellCommand) => Printed;
  readonly summary?: unknown;
  readonly aborted?: boolean;
  readonly rehearsal?: boolean;
}

/** Runs rows against a cluster of the test's own, each for half a second at most. */
async function results(
  patterns: readonly string[],
  fake: Fake = {},
): Promise<readonly RowResult[]> {
  const details = fake.details ?? (() => Promise.resolve(healthy));
  const aborter = new AbortController();
  if (fake.aborted === true) aborter.abort();
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
      signal: aborter.signal,
    },
    { timeoutSeconds: 0.5, say: () => undefined },
  );
}

async function only(id: string, fake: Fake = {}): Promise<RowResult> {
  const [result] = await results([id], fake);
  assert.ok(result);
  return result;
}

describe("running rows", () => {
  it("passes a row when all of its connections work, and tells what was tried", async () => {
    const result = await only("linux-pod-to-linux-pod-other-node");
    assert.equal(result.status, "passed");
    assert.deepEqual(result.tried, [
      "curl http://10.244.1.3:8080/hostname",
      "curl http://10.244.0.3:8080/hostname",
    ]);
  });

  it("does not pass in a rehearsal what a HostProcess container did under Wine, and fails what it did not", async () => {
    const details = (): Promise<Details> => Promise.resolve(onHosts);
    for (const id of ["linux-pod-to-windows-host-pod", "windows-node-to-host"]) {
      const rehearsed = await only(id, { details, rehearsal: true });
      assert.deepEqual(
        [rehearsed.status, rehearsed.reason.split(":")[0]],
        ["rehearsed", "HostProcess under Wine"],
      );
      assert.equal((await only(id, { details })).status, "passed");
      const attempt = (): ProbeFailure => ({ kind: "lost", text: "" });
      assert.equal((await only(id, { details, rehearsal: true, attempt })).status, "failed");
    }
    const linux = await only("linux-pod-to-linux-service", { rehearsal: true });
    assert.equal(linux.status, "passed");
  });

  it("tries again what does not work at once", async () => {
    let calls = 0;
    const result = await only("linux-pod-to-host", {
      attempt: () => (++calls < 4 ? { kind: "refused", text: "not yet" } : undefined),
    });
    assert.equal(result.status, "passed");
    assert.equal(calls >= 4, true);
  });

  it("fails one connection of several, with what it said and the reason in the cluster", async () => {
    const result = await only("linux-pod-to-linux-pod-other-node", {
      attempt: ({ url }) =>
        url.includes("10.244.0.3") ? { kind: "lost", text: "curl: (28)" } : undefined,
    });
    assert.equal(result.status, "failed");
    assert.match(result.reason, /^no answer within 4 s from linux-client-linux-b on linux-b/);
    assert.deepEqual(
      [result.tried, result.seen],
      [["curl http://10.244.0.3:8080/hostname"], "curl: (28)"],
    );
  });

  it("fails only the rows that something is wrong with", async () => {
    const all = await results(["linux-pod-to-linux-*", "linux-pod-to-host"], {
      attempt: ({ service }) =>
        service === "linux" ? { kind: "refused", text: "refused" } : undefined,
    });
    assert.deepEqual(
      all.filter(({ status }) => status === "failed").map(({ row }) => row.id),
      [
        "linux-pod-to-linux-service",
        "linux-pod-to-linux-service-name",
        "linux-pod-to-linux-node-port",
      ],
    );
  });

  it("waits for pods, and says why they did not come", async () => {
    const pods = healthy.pods.map((pod) =>
      waitingPod(pod, "ErrImagePull", "dial tcp: lookup registry.example: no such host"),
    );
    const result = await only("linux-pod-to-host", {
      details: () => Promise.resolve({ ...healthy, pods }),
    });
    assert.equal(result.status, "failed");
    assert.match(
      result.reason,
      /the image registry\.example\/agnhost:1 cannot be pulled on linux-a/,
    );
    assert.match(result.reason, /\(and 1 more\)$/);
    assert.equal(result.seen, "not Ready: linux-client on linux-a, linux-client on linux-b");
  });

  it("says so when the API server does not answer", async () => {
    const result = await only("linux-pod-to-host", {
      details: () => Promise.reject(new Error("connect ECONNREFUSED")),
    });
    assert.equal(result.reason, "the API server does not answer: connect ECONNREFUSED");
  });

  it("does not pass what there was nothing to try for", async () => {
    const { pods } = healthy;
    const result = await only("linux-pod-to-linux-pod-other-node", {
      details: () => Promise.resolve({ ...healthy, pods, nodes: [linuxNode] }),
    });
    assert.deepEqual([result.status, result.reason], ["failed", "there are no nodes left for it"]);
  });

  it("shows what cannot be run as such, with no time spent", async () => {
    const result = await only("windows-pod-to-linux-pod", { rehearsal: true });
    assert.equal(result.status, "not-runnable");
    assert.match(result.reason, /^needs Windows/);
    assert.equal(result.seconds, 0);
  });

  it("ends soon when it is interrupted", async () => {
    const started = Date.now();
    await only("linux-pod-to-host", { aborted: true, attempt: () => ({ kind: "lost", text: "" }) });
    assert.ok(Date.now() - started < 400);
  });
});

describe("the samples' rows", () => {
  const settings = { ...rolePod({ os: "linux", part: "client" }, "linux-a", "10.244.0.7") };
  const pods = (os: string): typeof healthy.pods => [
    { ...settings, metadata: { name: `settings-${os}` } },
  ];
  const withPods = (os: string) => (): Promise<Details> =>
    Promise.resolve({ ...healthy, pods: pods(os), nodes: [linuxNode] });
  const answers: Readonly<Record<string, string>> = {
    SETTINGS_USERNAME: "admin",
    "/settings/secret/password": "1f2d1e2e67df",
    SETTINGS_PROPERTY: "hello",
    "/settings/config/example.property.2": "world",
    "echo from the other container > /shared/note": "",
    "/shared/note": "from the other container",
    "/node/hosts": "127.0.0.1 localhost",
  };
  const right = ({ args }: ShellCommand): Printed => ({
    exitCode: 0,
    stdout: `${answers[args.at(-1) ?? ""] ?? "unknown"}\n`,
    stderr: "",
  });

  it("pass when everything is in the containers", async () => {
    const result = await only("linux-settings", { details: withPods("linux"), run: right });
    assert.deepEqual([result.status, result.reason, result.tried.length], ["passed", "", 7]);
  });

  it("fail at the first thing that is not there, and do not print what is in its place", async () => {
    const result = await only("linux-settings", {
      details: withPods("linux"),
      run: (command) =>
        command.args.includes("/settings/secret/password")
          ? { exitCode: 0, stdout: "sesame", stderr: "" }
          : right(command),
    });
    assert.equal(result.reason, "the secret as a file is not there");
    assert.equal(result.seen, "6 characters that are not what the sample has");
  });

  it("are rehearsed, not passed, where containers are modelled", async () => {
    const result = await only("windows-settings", {
      details: withPods("windows"),
      rehearsal: true,
    });
    assert.equal(result.status, "rehearsed");
    assert.match(result.reason, /kubelet\.exe .* modelled/);
  });

  it("are not run where kubelet cannot measure a pod", async () => {
    const summary = metrics("settings-windows");
    const result = await only("windows-metrics", {
      details: withPods("windows"),
      summary,
      rehearsal: true,
    });
    assert.equal(result.status, "not-runnable");
  });

  it("pass when kubelet has measured the pod, and fail when it has not", async () => {
    const details = withPods("linux");
    const passed = await only("linux-metrics", { details, summary: metrics("settings-linux") });
    assert.equal(passed.status, "passed");
    const failed = await only("linux-metrics", { details, summary: metrics("another") });
    assert.equal(failed.status, "failed");
    assert.match(failed.seen, /^no metrics of settings-linux among those of 1 pods$/);
  });

  it("fail without a pod", async () => {
    const result = await only("linux-settings");
    assert.equal(result.reason, "there is no pod of settings-linux");
  });
});

describe("kubelet's summary", () => {
  it("gives processor time and memory of a pod", () => {
    assert.deepEqual(podMetrics(metrics("a"), "kindows-verify", "a"), {
      cpuNanoSeconds: 7,
      memoryBytes: 9,
    });
  });

  it("may not have measured it yet", () => {
    const summary = { pods: [{ podRef: { name: "a", namespace: "kindows-verify" }, cpu: {} }] };
    assert.deepEqual(podMetrics(summary, "kindows-verify", "a"), { missing: "no memory of a" });
  });

  it("is nothing else", () => {
    assert.throws(() => podMetrics({ items: [] }, "kindows-verify", "a"));
  });
});

describe("time", () => {
  it("is longer where images of Windows are pulled", () => {
    const seconds = (id: string, rehearsal: boolean): number =>
      rowSeconds(selectRows([id])[0] ?? assert.fail(id), rehearsal);
    assert.equal(seconds("linux-pod-to-host", false), 120);
    assert.equal(seconds("linux-pod-to-windows-pod", false), 1200);
    assert.equal(seconds("windows-settings", false), 1200);
    assert.equal(seconds("windows-settings", true), 300);
    assert.equal(seconds("linux-settings", true), 120);
  });

  it("is not spent in silence", () => {
    assert.equal(
      waitingText(3, 9, ["a pod", "its connections", "a pod", "b", "c"]),
      "3 of 9 rows done; waiting for a pod (2 rows), its connections (1 row), b (1 row)",
    );
  });
});

function metrics(name: string): object {
  return {
    node: { nodeName: "linux-a" },
    pods: [
      {
        podRef: { name, namespace: "kindows-verify", uid: "1" },
        cpu: { usageCoreNanoSeconds: 7 },
        memory: { workingSetBytes: 9 },
      },
    ],
  };
}
