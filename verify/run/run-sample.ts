import * as z from "zod";
import type { V1Pod } from "@kubernetes/client-node";
import type { Os, SampleRow } from "../rows/row.ts";
import { messageOf } from "../../host/failure.ts";
import { isReady, podTrouble } from "../../kubernetes/pod-state.ts";
import { nodesOf } from "../cluster/facts.ts";
import type { Snapshot } from "../cluster/snapshot.ts";
import { namespace } from "../objects/names.ts";
import { type Probe, withText } from "./probe.ts";
import { commandText } from "./shell-command.ts";
import { explained, type Outcome, type RowTools, awaitState, type Readiness } from "./row-tools.ts";
import { tryProbes } from "./try-probes.ts";

const summarySchema = z.object({
  pods: z.array(
    z.object({
      podRef: z.object({ name: z.string(), namespace: z.string() }),
      cpu: z.object({ usageCoreNanoSeconds: z.number().optional() }).optional(),
      memory: z.object({ workingSetBytes: z.number().optional() }).optional(),
    }),
  ),
});

/** What kubelet measured of a pod. */
interface PodMetrics {
  /** Since its start. */
  readonly cpuNanoSeconds: number;
  readonly memoryBytes: number;
}

/** Path of a kubelet's summary of all its pods, through the API server. */
function summaryPath(node: string): string {
  return `/api/v1/nodes/${node}/proxy/stats/summary`;
}

/**
 * Metrics of a pod in kubelet's summary.
 *
 * @returns what is missing, while kubelet has not measured it yet.
 * @throws when it is no summary.
 */
function podMetrics(
  summary: unknown,
  namespace: string,
  name: string,
): PodMetrics | { readonly missing: string } {
  const { pods } = summarySchema.parse(summary);
  const pod = pods.find(({ podRef }) => podRef.name === name && podRef.namespace === namespace);
  if (pod === undefined) {
    return { missing: `no metrics of ${name} among those of ${pods.length} pods` };
  }
  const cpuNanoSeconds = pod.cpu?.usageCoreNanoSeconds;
  const memoryBytes = pod.memory?.workingSetBytes;
  return cpuNanoSeconds === undefined || memoryBytes === undefined
    ? { missing: `no ${memoryBytes === undefined ? "memory" : "processor time"} of ${name}` }
    : { cpuNanoSeconds, memoryBytes };
}

/** Something to look at in the pod of the sample `settings`. */
interface SettingsCheck {
  /** What it shows. */
  readonly what: string;
  readonly container: "reader" | "writer";
  readonly words: readonly string[];
  /** What must be printed. Not shown when it is not: others put real secrets there. */
  readonly expected: RegExp;
}

/** What the sample's file has; in the order in which they are done. */
function settingsChecks(os: Os): readonly SettingsCheck[] {
  const windows = os === "windows";
  const variable = (name: string): readonly string[] =>
    windows ? ["cmd", "/c", `echo %${name}%`] : ["printenv", name];
  const file = (path: string): readonly string[] =>
    windows ? ["cmd", "/c", `type C:${path.replaceAll("/", "\\")}`] : ["cat", path];
  const check = (
    what: string,
    container: SettingsCheck["container"],
    words: readonly string[],
    expected: RegExp,
  ): SettingsCheck => ({ what, container, words, expected });
  const write = windows
    ? ["cmd", "/c", "echo from the other container> C:\\shared\\note"]
    : ["bash", "-c", "echo from the other container > /shared/note"];
  const other = /^from the other container$/;
  return [
    check("the secret in the environment", "reader", variable("SETTINGS_USERNAME"), /^admin$/),
    check("the secret as a file", "reader", file("/settings/secret/password"), /^1f2d1e2e67df$/),
    check("the config map in the environment", "reader", variable("SETTINGS_PROPERTY"), /^hello$/),
    check(
      "the config map as a file",
      "reader",
      file("/settings/config/example.property.2"),
      /^world$/,
    ),
    check("writing to the emptyDir", "writer", write, /^$/),
    check(
      "what the other container wrote into the emptyDir",
      "reader",
      file("/shared/note"),
      other,
    ),
    check("the node's hosts file by the hostPath", "reader", file("/node/hosts"), /localhost/),
  ];
}

/** What a rehearsed pod of the samples shows, and what it does not. */
const rehearsedSettings =
  "kubelet.exe made its volumes and had its containers started; these are modelled, so nothing was read in them";

/** Pods of a sample: by name, or all of a label. */
const applications: Readonly<Record<"web-server" | "shop", readonly string[]>> = {
  "web-server": ["web-server"],
  shop: ["card-authorisation", "shop"],
};

/** Waits for a sample's pods, then checks what the sample is about. */
export async function runSample(row: SampleRow, end: number, tools: RowTools): Promise<Outcome> {
  const waited = await awaitState(
    row.id,
    end,
    tools,
    (snapshot) => podsOf(row, snapshot),
    ({ names }) => names.join(", "),
  );
  if ("trouble" in waited) {
    return failed(`the API server does not answer: ${waited.trouble}`, waited.trouble);
  }
  if ("late" in waited) {
    const { names, pod } = waited.late;
    const reason = await explained(tools, ({ nodes, events }) => {
      const node = nodes.find(({ name }) => name === pod?.spec?.nodeName);
      if (node?.trouble !== undefined) return `the node ${node.name} is not Ready: ${node.trouble}`;
      return pod === undefined ? `there is no pod of ${names.join(", ")}` : podTrouble(pod, events);
    });
    return failed(reason, `not Ready: ${names.join(", ")}`);
  }
  const [pod] = waited.ready.pods;
  switch (row.look) {
    case "settings":
      return pod === undefined ? failed("it has no pod", "") : lookAtSettings(row, pod, tools);
    case "metrics":
      return pod === undefined ? failed("it has no pod", "") : awaitMetrics(row, pod, end, tools);
    case "web-server":
    case "shop":
      return tryProbes(row.id, sampleProbes(row.look, waited.ready.snapshot), end, tools);
  }
}

interface ReadyPods {
  readonly pods: readonly V1Pod[];
  readonly snapshot: Snapshot;
}

interface MissingPods {
  /** What is missing. */
  readonly names: readonly string[];
  /** One that exists but is not Ready. */
  readonly pod?: V1Pod;
}

function podsOf(row: SampleRow, snapshot: Snapshot): Readiness<ReadyPods, MissingPods> {
  const groups =
    row.look === "settings" || row.look === "metrics"
      ? [{ name: `settings-${row.os}`, pods: byName(snapshot, `settings-${row.os}`) }]
      : applications[row.look].map((app) => ({ name: app, pods: byApp(snapshot, app) }));
  const missing = groups.filter(({ pods }) => pods.length === 0 || !pods.every(isReady));
  if (missing.length === 0) {
    return { ready: { pods: groups.flatMap(({ pods }) => pods), snapshot } };
  }
  const pod = missing.flatMap(({ pods }) => pods).find((each) => !isReady(each));
  return { awaited: { names: missing.map(({ name }) => name), ...(pod && { pod }) } };
}

function byName({ pods }: Snapshot, name: string): readonly V1Pod[] {
  return pods.filter(({ metadata }) => metadata?.name === name);
}

function byApp({ pods }: Snapshot, app: string): readonly V1Pod[] {
  return pods.filter(({ metadata }) => metadata?.labels?.["app"] === app);
}

async function lookAtSettings(row: SampleRow, pod: V1Pod, tools: RowTools): Promise<Outcome> {
  if (row.os === "windows" && tools.rehearsal) {
    return { status: "rehearsed", reason: rehearsedSettings, tried: [], seen: "" };
  }
  tools.waitsFor(row.id, "what is in its containers");
  const tried: string[] = [];
  for (const { what, container, words, expected } of settingsChecks(row.os)) {
    const command = tools.inPod(pod.metadata?.name ?? "", container, words);
    const printed = await tools.slots.run(0, () => tools.run(command));
    tried.push(commandText(command));
    if (printed.exitCode !== 0 || !expected.test(printed.stdout.trim())) {
      const seen =
        printed.exitCode === 0
          ? `${printed.stdout.trim().length} characters that are not what the sample has`
          : printed.stderr.trim();
      return { status: "failed", reason: `${what} does not exist`, tried: tried.slice(-1), seen };
    }
  }
  return { status: "passed", reason: "", tried, seen: "" };
}

async function awaitMetrics(
  row: SampleRow,
  pod: V1Pod,
  end: number,
  tools: RowTools,
): Promise<Outcome> {
  const name = pod.metadata?.name ?? "";
  const path = summaryPath(pod.spec?.nodeName ?? "");
  const tried = [`kubectl get --raw ${path}`];
  for (;;) {
    let seen: string;
    try {
      const metrics = podMetrics(await tools.get(path), namespace, name);
      if (!("missing" in metrics)) return { status: "passed", reason: "", tried, seen: "" };
      seen = metrics.missing;
    } catch (error) {
      seen = messageOf(error);
    }
    if (Date.now() >= end || tools.signal.aborted) {
      return { status: "failed", reason: `kubelet has no metrics of ${name}`, tried, seen };
    }
    tools.waitsFor(row.id, `kubelet to measure ${name}`);
    await tools.view.look();
  }
}

function failed(reason: string, seen: string): Outcome {
  return { status: "failed", reason, tried: [], seen };
}

/** Requests to a sample's NodePort, from this host: the web server by every node, the shop by every Linux one. */
function sampleProbes(look: "web-server" | "shop", snapshot: Snapshot): readonly Probe[] {
  const port = snapshot.services.find(({ metadata }) => metadata?.name === look)?.spec?.ports?.[0]
    ?.nodePort;
  const linux = nodesOf(snapshot, "linux");
  const nodes = look === "shop" ? linux : [...linux, ...nodesOf(snapshot, "windows")];
  return nodes.flatMap(({ name, address }) =>
    pages(look).map(({ path, check }) => ({
      origin: "outside",
      url: `http://${address}:${port ?? 0}${path}`,
      requests: 1,
      check,
      targetPods: [],
      service: look,
      viaNode: name,
    })),
  );
}

function pages(
  look: "web-server" | "shop",
): readonly { readonly path: string; readonly check: Probe["check"] }[] {
  if (look === "web-server") {
    return [{ path: "/", check: withText("Windows Container Web Server") }];
  }
  return [
    { path: "/", check: withText("<h1>Widgets</h1>") },
    { path: "/authorise?card=4111111111111111&amount=25", check: withText("Auth Code: ") },
    // Cards that end in 9, and amounts from 1000, are declined.
    { path: "/authorise?card=4111111111111119&amount=25", check: withText("Declined") },
  ];
}
