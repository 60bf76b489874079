import type { V1Pod } from "@kubernetes/client-node";
import * as z from "zod";

import { messageOf } from "../../host/failure.ts";
import { isReady, podProgress } from "../../host/kubernetes/pod-state.ts";
import { nodesOf } from "../cluster/facts.ts";
import type { Snapshot } from "../cluster/snapshot.ts";
import { nodeTrouble } from "../diagnose/diagnose.ts";
import { namespace } from "../objects/names.ts";
import type { Outcome } from "../result.ts";
import type { SampleRow } from "../rows/row.ts";
import { commandText, type PlannedProbe, withText } from "./probe.ts";
import { awaitState, failed, passed, type Readiness, type RowRun } from "./row-tools.ts";
import { tryProbes } from "./try-probes.ts";
import type { Os } from "../objects/names.ts";

/** Waits for a sample's pods, then checks that the sample works. */
export async function runSample(row: SampleRow, run: RowRun): Promise<Outcome> {
  const { look, os } = row;
  const waited = await awaitState(run, {
    check(snapshot): Readiness<ReadySample, readonly SamplePods[]> {
      const groups = podsOf(row, snapshot);
      const least = look === "node-agent" ? Math.max(1, agentNodes(snapshot).length) : 1;
      const awaited = groups.filter(({ pods }) => pods.length < least || !pods.every(isReady));
      return awaited.length > 0 ? { awaited } : { ready: { groups, snapshot } };
    },
    text: namesOf,
    why(groups, details) {
      const pod = groups.flatMap(({ pods }) => pods).find((each) => !isReady(each));
      if (pod === undefined) {
        const where = look === "node-agent" ? " on every Windows node" : "";
        return `there is no pod of ${namesOf(groups)}${where}`;
      }
      const node = pod.spec?.nodeName;
      return (node && nodeTrouble(node, details)) || podProgress(pod, details.events);
    },
  });
  if ("outcome" in waited) return waited.outcome;
  const { groups, snapshot } = waited.ready;
  if (look === "web-server" || look === "shop") {
    return tryProbes(sampleProbes(look, snapshot), row, run);
  }
  if (look === "node-agent") return lookAtAgents(groups[0]?.pods ?? [], snapshot, run);
  const { metadata, spec } = groups[0]?.pods[0] ?? {};
  const name = metadata?.name ?? "";
  return look === "settings"
    ? lookAtSettings(os, name, run)
    : awaitMetrics(name, spec?.nodeName ?? "", run);
}

interface ReadySample {
  readonly groups: readonly SamplePods[];
  readonly snapshot: Snapshot;
}

/** Pods of a sample with a common name or label. */
interface SamplePods {
  readonly name: string;
  readonly pods: readonly V1Pod[];
}

function namesOf(groups: readonly SamplePods[]): string {
  return groups.map(({ name }) => name).join(", ");
}

function podsOf({ look, os }: SampleRow, { pods }: Snapshot): readonly SamplePods[] {
  if (look === "settings" || look === "metrics") {
    const name = `settings-${os}`;
    return [{ name, pods: pods.filter(({ metadata }) => metadata?.name === name) }];
  }
  const apps = look === "shop" ? ["card-authorisation", "shop"] : [look];
  return apps.map((app) => ({
    name: app,
    pods: pods.filter(({ metadata }) => metadata?.labels?.["app"] === app),
  }));
}

type SettingsCheck = readonly [
  what: string,
  words: readonly string[],
  /** Expected output. Other output is not shown, because users may put real secrets there. */
  expected: RegExp,
  container?: "writer",
];

/** Checks of the values in the sample's file, in the order in which they run. */
function settingsChecks(os: Os): readonly SettingsCheck[] {
  const windows = os === "windows";
  const variable = (name: string): readonly string[] =>
    windows ? ["cmd", "/c", `echo %${name}%`] : ["printenv", name];
  const file = (path: string): readonly string[] =>
    windows ? ["cmd", "/c", `type C:${path.replaceAll("/", "\\")}`] : ["cat", path];
  const write = windows
    ? ["cmd", "/c", "echo from the other container> C:\\shared\\note"]
    : ["bash", "-c", "echo from the other container > /shared/note"];
  const [secret, config] = ["/settings/secret/password", "/settings/config/example.property.2"];
  return [
    ["the secret in the environment", variable("SETTINGS_USERNAME"), /^admin$/],
    ["the secret as a file", file(secret), /^1f2d1e2e67df$/],
    ["the config map in the environment", variable("SETTINGS_PROPERTY"), /^hello$/],
    ["the config map as a file", file(config), /^world$/],
    ["writing to the emptyDir", write, /^$/, "writer"],
    [
      "what the other container wrote into the emptyDir",
      file("/shared/note"),
      /^from the other container$/,
    ],
    ["the node's hosts file by the hostPath", file("/node/hosts"), /localhost/],
  ];
}

const rehearsedSettings =
  "kubelet.exe made its volumes and had its containers started; these are modelled, or see the machine's own drive, so nothing was read in them";

async function lookAtSettings(os: Os, pod: string, run: RowRun): Promise<Outcome> {
  if (os === "windows" && run.rehearsal) {
    return { status: "rehearsed", reason: rehearsedSettings, tried: [], seen: "" };
  }
  run.waitsFor("what is in its containers");
  const tried: string[] = [];
  for (const [what, words, expected, container = "reader"] of settingsChecks(os)) {
    const command = run.inPod(pod, container, words);
    const { exitCode, stdout, stderr } = await run.slots.run(0, () => run.run(command));
    const text = commandText(command);
    const printed = stdout.trim();
    if (exitCode !== 0 || !expected.test(printed)) {
      const other = `${printed.length} characters that differ from the sample`;
      return failed(`${what} does not exist`, exitCode === 0 ? other : stderr.trim(), [text]);
    }
    tried.push(text);
  }
  return passed(tried);
}

const agentNodes = (snapshot: Snapshot): readonly string[] =>
  nodesOf(snapshot, "windows").map(({ name }) => name);

/** Each Windows node must have a pod of the DaemonSet, which knows where it is. */
function lookAtAgents(pods: readonly V1Pod[], snapshot: Snapshot, run: RowRun): Outcome {
  const tried = [`kubectl -n ${namespace} get pods -l app=node-agent -o wide`];
  const on = pods.flatMap(({ spec }) => spec?.nodeName ?? []);
  const without = agentNodes(snapshot).filter((name) => !on.includes(name));
  if (without.length > 0) {
    return failed(`there is no pod of node-agent on ${without.join(", ")}`, "", tried);
  }
  return run.rehearsal
    ? { status: "rehearsed", reason: rehearsedAgents, tried, seen: "" }
    : passed(tried);
}

const rehearsedAgents =
  "kubelet.exe had a container started on every Windows node; what an agent does there was not tried";

const summarySchema = z.object({
  pods: z.array(
    z.object({
      podRef: z.object({ name: z.string(), namespace: z.string() }),
      cpu: z.object({ usageCoreNanoSeconds: z.number().optional() }).optional(),
      memory: z.object({ workingSetBytes: z.number().optional() }).optional(),
    }),
  ),
});

function missingMetrics(summary: unknown, name: string): string | undefined {
  const { pods } = summarySchema.parse(summary);
  const pod = pods.find(({ podRef }) => podRef.name === name && podRef.namespace === namespace);
  if (pod === undefined) return `no metrics of ${name} among those of ${pods.length} pods`;
  if (pod.memory?.workingSetBytes === undefined) return `no memory of ${name}`;
  return pod.cpu?.usageCoreNanoSeconds === undefined ? `no processor time of ${name}` : undefined;
}

async function awaitMetrics(name: string, node: string, run: RowRun): Promise<Outcome> {
  const path = `/api/v1/nodes/${node}/proxy/stats/summary`;
  const tried = [`kubectl get --raw ${path}`];
  for (;;) {
    const missing = await run
      .get(path)
      .then((read) => missingMetrics(read, name))
      .catch(messageOf);
    if (missing === undefined) return passed(tried);
    if (Date.now() >= run.end || run.signal.aborted) {
      return failed(`kubelet has no metrics of ${name}`, missing, tried);
    }
    run.waitsFor(`kubelet to measure ${name}`);
    await run.view.look();
  }
}

/**
 * Requests to a sample's NodePort from this host: by every node for the web server, by every Linux node for the shop.
 */
function sampleProbes(look: "web-server" | "shop", snapshot: Snapshot): readonly PlannedProbe[] {
  const service = snapshot.services.find(({ metadata }) => metadata?.name === look);
  const port = service?.spec?.ports?.[0]?.nodePort ?? 0;
  const linux = nodesOf(snapshot, "linux");
  const nodes = look === "shop" ? linux : [...linux, ...nodesOf(snapshot, "windows")];
  return nodes.flatMap(({ name, address }) =>
    pages[look].map(([path, text]) => ({
      origin: "outside",
      url: `http://${address}:${port}${path}`,
      requests: 1,
      check: withText(text),
      targetPods: [],
      service: look,
      viaNode: name,
    })),
  );
}

/** Paths of a sample, and what its pages contain. */
const pages = {
  "web-server": [["/", "Windows Container Web Server"]],
  shop: [
    ["/", "<h1>Widgets</h1>"],
    ["/authorise?card=4111111111111111&amount=25", "Auth Code: "],
    // Cards that end in 9, and amounts from 1000, are declined.
    ["/authorise?card=4111111111111119&amount=25", "Declined"],
  ],
} as const;
