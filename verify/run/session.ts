import type { ClusterApi } from "../../kubernetes/cluster-api.ts";
import { Slots } from "../../toolchain/slots.ts";
import { nodesOf, type Facts } from "../cluster/facts.ts";
import { internetPage } from "../cluster/internet.ts";
import type { HostServer } from "../cluster/host-server.ts";
import { readDetails, readSnapshot } from "../cluster/snapshot.ts";
import { ClusterView } from "../cluster/view.ts";
import { namespace } from "../objects/names.ts";
import { allRoles } from "../objects/roles.ts";
import { fitted, readSample, sampleFile } from "../objects/samples.ts";
import { workloads } from "../objects/workloads.ts";
import type { RowResult } from "../result.ts";
import { networkPolicies } from "../rows/policies.ts";
import { whyNot } from "../rows/runnable.ts";
import type { Os, Row, SampleRow } from "../rows/row.ts";
import { attempt, probeCommand } from "./attempt.ts";
import { commandText, podCommand, runCommand } from "./shell-command.ts";
import { applyObjects, createNamespace, removeNamespace, type Kubectl } from "./own-namespace.ts";
import { runRows } from "./run-rows.ts";

/** Number of parallel commands: each is a kubectl process. */
const commandPlaces = 8;

/** Longest time for a command in a sample's container, in seconds. */
const commandSeconds = 30;

/** Options of a run. */
export interface SessionOptions extends Kubectl {
  readonly api: ClusterApi;
  readonly facts: Facts;
  /** Server on this host; undefined if the lab's segment does not reach it. */
  readonly host?: HostServer;
  readonly rows: readonly Row[];
  /** Image that the rows' own pods run, one that does what agnhost does. */
  readonly image: string;
  /** Longest time for a row, in seconds. Default: as run-rows.ts has it. */
  readonly timeoutSeconds?: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** Creates the namespace and everything that the runnable rows need. */
export async function makeWorkloads(options: SessionOptions): Promise<void> {
  const { api, facts, image, say } = options;
  const rows = options.rows.filter((row) => whyNot(row, facts) === undefined);
  say(
    `${rows.length} of ${options.rows.length} rows can be run here; making the namespace ${namespace} for them`,
  );
  await createNamespace(api, say);
  const samples = await sampleObjects(rows, facts, image);
  await applyObjects(options, [...workloads(allRoles(rows), image), ...samples]);
}

/** Runs the rows on what `makeWorkloads` made. */
export async function tryRows(options: SessionOptions): Promise<readonly RowResult[]> {
  const { api, facts, host, kubectl, kubeconfig, rows, say, signal, timeoutSeconds } = options;
  const shell = { kubectl, kubeconfig, signal };
  let isolated: Promise<void> | undefined;
  const tools = {
    view: new ClusterView(() => readSnapshot(api)),
    details: () => readDetails(api),
    attempt: (probe: Parameters<typeof attempt>[1]) => attempt(shell, probe),
    tried: (probe: Parameters<typeof attempt>[1]) => commandText(probeCommand(shell, probe)),
    inPod: (pod: string, container: string, words: readonly string[]) =>
      podCommand(shell, pod, words, container),
    run: (command: Parameters<typeof runCommand>[1]) => runCommand(shell, command, commandSeconds),
    isolate: () => (isolated ??= applyObjects(options, policiesOf(rows), "NetworkPolicies")),
    get: (path: string) => api.get(path),
    outside: {
      internet: internetPage,
      ...(host && { host: { url: host.url, greeting: host.greeting } }),
    },
    slots: new Slots(commandPlaces),
    signal,
  };
  return runRows(rows, facts, tools, {
    say,
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
  });
}

/** NetworkPolicies of the systems whose rows need them. */
function policiesOf(rows: readonly Row[]): readonly object[] {
  const systems = rows.flatMap((row) =>
    "target" in row && row.target.to === "policy" ? row.target.os : [],
  );
  return [...new Set(systems)].flatMap(networkPolicies);
}

/** Removes everything that `makeWorkloads` created. */
export async function removeWorkloads({
  api,
  say,
}: Pick<SessionOptions, "api" | "say">): Promise<void> {
  await removeNamespace(api, say);
}

/** Objects of the rows' samples; a file of several rows is used once for each operating system. */
async function sampleObjects(
  rows: readonly Row[],
  facts: Facts,
  agnhost: string,
): Promise<readonly object[]> {
  const wanted = new Map<string, { readonly file: string; readonly os: Os }>();
  for (const row of rows) {
    if (row.kind === "sample") {
      const file = sampleFile(fileOf(row));
      wanted.set(`${file} ${row.os}`, { file, os: row.os });
    }
  }
  const windowsBuild = nodesOf(facts, "windows")[0]?.windowsBuild;
  const lists = await Promise.all(
    [...wanted.values()].map(async ({ file, os }) =>
      fitted(await readSample(file), {
        os,
        agnhost,
        ...(os === "windows" && windowsBuild !== undefined && { windowsBuild }),
      }),
    ),
  );
  // A Secret and a ConfigMap that pods of both operating systems share would appear twice.
  const objects = lists.flat().map((object) => [`${object.kind} ${object.metadata.name}`, object]);
  return [...new Map(objects as [string, object][]).values()];
}

function fileOf({ look }: SampleRow): "settings" | "web-server" | "shop" {
  return look === "metrics" ? "settings" : look;
}
