import assert from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import type { FlannelBackend } from "../../components/cni/flannel/flannel-config.ts";
import { policyRows } from "../../verify/rows/policies.ts";
import { allRows } from "../../verify/rows/select.ts";
import { engineChanges, type Finished, succeeded, tail, type TestLab } from "./lab.ts";

export interface VerifiedRow {
  readonly id: string;
  readonly status: string;
  readonly reason: string;
  readonly seen: string;
}

export interface Verified extends Finished {
  readonly rows: readonly VerifiedRow[];
}

export async function verified(lab: TestLab, ...args: string[]): Promise<Verified> {
  const file = (ending: string): string => path.join(lab.logFolder, `verify.${ending}`);
  const files = ["json", "junit", "html"].flatMap((each) => [`--${each}`, file(each)]);
  // An earlier run's result must not be taken for this run's.
  await rm(file("json"), { force: true });
  const finished = await lab.kindows("verify", ...args, ...files);
  const text = await readFile(file("json"), "utf8").catch(() => assert.fail(tail(finished.output)));
  const { rows } = JSON.parse(text) as { rows: readonly VerifiedRow[] };
  return { ...finished, rows };
}

export function rowsWith(rows: readonly VerifiedRow[], status: string): readonly string[] {
  return rows.filter((row) => row.status === status).map(({ id }) => id);
}

export const linuxRows: readonly string[] = [
  ...["linux-pod-to-linux-pod-same-node", "linux-pod-to-linux-pod-other-node"],
  ...["linux-pod-to-linux-pod-name", "linux-pod-to-linux-service"],
  ...["linux-pod-to-linux-service-name", "linux-pod-to-linux-node-port"],
  ...["linux-pod-to-linux-host-port", "linux-pod-to-host", "linux-node-to-linux-pod"],
  ...["linux-node-to-linux-service", "outside-to-linux-service-linux-node"],
  ...["outside-to-linux-host-port", "linux-settings", "linux-metrics"],
];

/** Rows of rehearsed Windows nodes, in which HostProcess containers run under Wine. */
export const wineRows: readonly string[] = [
  "linux-pod-to-windows-host-pod",
  "linux-pod-to-windows-host-service",
  "linux-pod-to-windows-host-service-name",
  "linux-node-to-windows-host-pod",
  "linux-node-to-windows-host-service",
  "windows-node-to-linux-pod",
  "windows-node-to-linux-service",
  "windows-node-to-cluster-dns",
  "windows-node-to-linux-node-port",
  "windows-node-to-linux-host-pod",
  "windows-node-to-windows-host-pod",
  "windows-node-to-windows-host-service",
  "windows-node-to-host",
  "outside-to-windows-host-pod",
  "outside-to-windows-host-service-linux-node",
];

/** Rows of rehearsed Windows nodes whose pods have a network, but for the one that needs two of them. */
const podRows: readonly string[] = [
  ...["linux-pod-to-windows-pod", "linux-pod-to-windows-pod-name"],
  ...["linux-pod-to-windows-service", "linux-pod-to-windows-service-name"],
  ...["linux-pod-to-windows-node-port", "windows-pod-to-windows-pod-same-node"],
  ...["windows-pod-to-windows-pod-name", "windows-pod-to-windows-service"],
  ...["windows-pod-to-windows-service-name", "windows-pod-to-windows-node-port"],
  ...["windows-pod-to-linux-pod", "windows-pod-to-linux-pod-name"],
  ...["windows-pod-to-linux-service", "windows-pod-to-linux-service-name"],
  ...["windows-pod-to-linux-node-port", "windows-pod-to-linux-host-port"],
  ...["windows-pod-to-windows-host-pod", "windows-pod-to-linux-host-pod"],
  ...["windows-pod-to-host", "linux-node-to-windows-pod", "linux-node-to-windows-service"],
  ...["windows-node-to-windows-pod", "windows-node-to-windows-service"],
  ...["outside-to-linux-service-windows-node", "outside-to-windows-service-linux-node"],
  "outside-to-windows-service-windows-node",
];

const windowsPolicyRows: readonly string[] = policyRows
  .map(({ id }) => id)
  .filter((id) => id.startsWith("windows-"));

/** The plugin of plain routes also gives pods ports of the machine. */
const hostPortRows: readonly string[] = [
  ...["linux-pod-to-windows-host-port", "windows-pod-to-windows-host-port"],
  "outside-to-windows-host-port",
];

/** With plain routes Windows pods ask the nodes' range, and this host in it, from their own address. */
const hostRow = "windows-pod-to-host";

/** kube-proxy.exe makes no load balancer for pods on its own node's network. */
const ownHostRow = "windows-node-to-windows-host-service";

/** Rows between Linux nodes that use the cluster's DNS. */
export const namedRows: readonly string[] = linuxRows.filter((id) => /-(name|dns)$/.test(id));

/** All rows but those to the internet, which a test cannot rely on. */
const rowsWithoutInternet: readonly string[] = allRows
  .map(({ id }) => id)
  .filter((id) => !id.endsWith("-to-internet"));

/** Rows of rehearsed Windows nodes that need the routes which kindows sets itself, where no pod network sets any. */
const routedRows: readonly string[] = [
  ...["windows-node-to-linux-pod", "windows-node-to-linux-service"],
  ...["windows-node-to-cluster-dns", "windows-node-to-windows-host-service"],
];

/**
 * Asserts that in a lab with two Linux nodes and rehearsed Windows nodes, the rows between the Linux nodes pass and
 * the rows with HostProcess containers are rehearsed, with Flannel also those with pods, and no others.
 *
 * @param windowsNodes number of Windows nodes; rows that need more cannot be run, with that reason.
 * @param network `calico` enforces NetworkPolicies; its programs run on Windows nodes only as `calico-windows`, and otherwise these
 *   have no routes. `vxlan` and `host-gw` are Flannel's.
 */
export async function verifiesLinuxPaths(
  lab: TestLab,
  windowsNodes: 0 | 1 | 2 = 2,
  network: "calico" | "calico-windows" | FlannelBackend | "other" = "other",
): Promise<void> {
  const isCalico = network === "calico" || network === "calico-windows";
  const { exitCode, output, seconds, rows } = await verified(
    lab,
    ...["--rows", rowsWithoutInternet.join(",")],
  );
  console.log(`      verify took ${seconds.toFixed(0)} s`);
  // First, because a log that is cut off loses what comes later.
  assert.deepEqual(
    rows.flatMap(({ id, status, reason, seen }) =>
      status === "failed" ? [{ id, reason, seen }] : [],
    ),
    [],
  );
  assert.equal(exitCode, 0, tail(output));
  const passing = (id: string): boolean =>
    linuxRows.includes(id) || (isCalico && id.startsWith("linux-policy-"));
  assert.deepEqual(rowsWith(rows, "passed"), rowsWithoutInternet.filter(passing));
  const pods = {
    vxlan: podRows,
    "host-gw": [...podRows.filter((id) => id !== hostRow), ...hostPortRows],
    calico: [],
    "calico-windows": [...podRows, ...windowsPolicyRows],
    other: [],
  }[network];
  const apart =
    pods.length > 0 && windowsNodes === 2 ? ["windows-pod-to-windows-pod-other-node"] : [];
  const wine = wineRows.filter(
    (id) =>
      windowsNodes > 0 &&
      !(network === "calico" && routedRows.includes(id)) &&
      !(pods.length > 0 && id === ownHostRow),
  );
  const settings = windowsNodes === 0 ? [] : ["windows-settings", "windows-node-agent"];
  const rehearsed = new Set([...wine, ...pods, ...apart, ...settings]);
  assert.deepEqual(
    rowsWith(rows, "rehearsed"),
    rowsWithoutInternet.filter((id) => rehearsed.has(id)),
  );
  for (const { id, reason } of rows.filter(({ status }) => status === "rehearsed")) {
    if (!settings.includes(id)) assert.match(reason, /^(HostProcess|pods) under Wine: /, id);
  }
  for (const { id, reason } of rows.filter(({ status }) => status === "not-runnable")) {
    // Neither Flannel nor the built node image's network enforces policies.
    const unenforced = "a pod network that enforces NetworkPolicies: ";
    const few = ["|(a|two) Windows nodes?: there is none$", "|two Windows nodes: there is one$"];
    assert.match(
      reason,
      new RegExp(
        `^needs (Windows: |agnhost's own image|hostPort on|a route on this host|a load balancer in HNS|${unenforced}${few[windowsNodes] ?? ""})`,
      ),
      id,
    );
  }
  assert.doesNotMatch(await lab.kubectl("get", "namespaces"), /kindows-verify/);
}

/**
 * Takes a second Windows node into a lab with one, asserts that nothing else is touched and that the paths between the two work,
 * and lets it go again.
 *
 * @param linux names of the other nodes.
 */
export async function takesInSecondWindowsNode(
  lab: TestLab,
  configure: (...windows: readonly string[]) => Promise<void>,
  linux: readonly string[],
  network: "calico-windows" | FlannelBackend,
): Promise<void> {
  for (const [nodes, operation] of [
    [["win-1", "win-2"], "created"],
    [["win-1"], "deleted"],
  ] as const) {
    await configure(...nodes);
    const { output, seconds } = await succeeded(lab.kindows("up"), "up");
    console.log(`      up with ${nodes.join(" and ")} took ${seconds.toFixed(0)} s`);
    // These wait for the nodes that there are.
    const waits = ["kube-proxy-windows-on-nodes", "calico-windows"];
    const done = engineChanges(output).filter(({ name }) => !waits.includes(name));
    assert.ok(done.length > 0);
    for (const change of done) {
      assert.equal(change.operation, operation, `${change.type} ${change.name}`);
      assert.match(change.name, /win-2/, change.type);
    }
    assert.deepEqual(await lab.readyNodes(), [...linux, ...nodes]);
    if (nodes.length === 2) await verifiesLinuxPaths(lab, 2, network);
  }
}

/**
 * Turns a Windows node off and on, and asserts that nothing is planned and that its pods are reached as before.
 *
 * @param policies rows of NetworkPolicies, where the pod network enforces them.
 */
export async function hasPathsAfterPowerCycle(
  lab: TestLab,
  policies: readonly string[] = [],
): Promise<void> {
  await succeeded(lab.kindows("stop", "win-1"), "stop");
  await succeeded(lab.kindows("start", "win-1"), "start");
  await lab.plansNothing();
  const ids = [
    ...["linux-pod-to-windows-pod", "linux-pod-to-windows-service", "windows-pod-to-linux-pod"],
    ...["windows-pod-to-linux-service-name", "windows-node-to-windows-pod", ...policies],
  ];
  const { output, rows } = await verified(lab, "--rows", ids.join(","));
  assert.deepEqual(rowsWith(rows, "rehearsed"), ids, tail(output));
}

/**
 * Verifies the lab's cluster by its kubeconfig alone, like any cluster: rows that need the lab's host cannot be run.
 */
export async function verifiesByKubeconfig(lab: TestLab): Promise<void> {
  const { exitCode, output, rows } = await verified(
    lab,
    ...["--kubeconfig", lab.kubeconfig],
    ...["--rows", "linux-pod-to-linux-service-name,linux-pod-to-host"],
  );
  assert.equal(exitCode, 0, tail(output));
  assert.deepEqual(rowsWith(rows, "passed"), ["linux-pod-to-linux-service-name"]);
  assert.deepEqual(rowsWith(rows, "not-runnable"), ["linux-pod-to-host"]);
  assert.doesNotMatch(await lab.kubectl("get", "namespaces"), /kindows-verify/);
}
