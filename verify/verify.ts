import { messageOf } from "../host/failure.ts";
import { namespace } from "./objects/names.ts";
import type { RowResult } from "./result.ts";
import type { ClusterApi } from "../kubernetes/cluster-api.ts";
import { Slots } from "../toolchain/slots.ts";
import { nodesOf, type Facts } from "./cluster/facts.ts";
import { type HostServer, internetPage } from "./cluster/outside.ts";
import { readDetails, readSnapshot } from "./cluster/snapshot.ts";
import { ClusterView } from "./cluster/view.ts";
import { allRoles } from "./objects/roles.ts";
import { fitted, readSample, sampleFile } from "./objects/samples.ts";
import { workloads } from "./objects/workloads.ts";
import { networkPolicies } from "./rows/policies.ts";
import { whyNot } from "./rows/runnable.ts";
import type { Os, Row, SampleRow } from "./rows/row.ts";
import { attempt, probeCommand } from "./run/attempt.ts";
import { commandText, podCommand, runCommand } from "./run/shell-command.ts";
import {
  applyObjects,
  createNamespace,
  removeNamespace,
  type Kubectl,
} from "./run/own-namespace.ts";
import type { RowTools } from "./run/row-tools.ts";
import { runRows } from "./run/run-rows.ts";

/** Result of a run. */
export interface VerifyEnd {
  /** Undefined if the run was interrupted. */
  readonly results?: readonly RowResult[];
  /** Why the cleanup failed, if it did. */
  readonly leftBehind?: string;
}

/**
 * Creates what the rows need, runs them, and cleans up, however that ended.
 *
 * @param keep leave everything in place.
 * @throws if what the rows need could not be created.
 */
export async function verifyCluster(options: SessionOptions, keep: boolean): Promise<VerifyEnd> {
  let results: readonly RowResult[] | undefined;
  let leftBehind: string | undefined;
  try {
    await makeWorkloads(options);
    if (!options.signal.aborted) {
      const all = await tryRows(options);
      // Interrupted rows prove nothing.
      results = options.signal.aborted ? undefined : all;
    }
  } catch (error) {
    // ^C also ends running programs: their failures are expected.
    if (!options.signal.aborted) throw error;
  } finally {
    if (keep) {
      options.say(
        `kept: the namespace ${namespace}; \`kubectl delete namespace ${namespace}\` removes it, and the next run does`,
      );
    } else {
      leftBehind = await removeNamespace(options.api, options.say).then(() => undefined, messageOf);
      if (leftBehind !== undefined) options.say(`not removed: ${leftBehind}`);
    }
  }
  return { ...(results && { results }), ...(leftBehind !== undefined && { leftBehind }) };
}

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
  const tools: Omit<RowTools, "waitsFor" | "rehearsal"> = {
    view: new ClusterView(() => readSnapshot(api)),
    details: () => readDetails(api),
    attempt: (probe) => attempt(shell, probe),
    tried: (probe) => commandText(probeCommand(shell, probe)),
    inPod: (pod, container, words) => podCommand(shell, pod, words, container),
    run: (command) => runCommand(shell, command, commandSeconds),
    isolate: () => (isolated ??= applyObjects(options, policiesOf(rows), "NetworkPolicies")),
    get: (path) => api.get(path),
    outside: { internet: internetPage, host },
    slots: new Slots(commandPlaces),
    signal,
  };
  return runRows(rows, facts, tools, { say, timeoutSeconds });
}

/** NetworkPolicies of the systems whose rows need them. */
function policiesOf(rows: readonly Row[]): readonly object[] {
  const systems = rows.flatMap((row) =>
    "target" in row && row.target.to === "policy" ? row.target.os : [],
  );
  return [...new Set(systems)].flatMap(networkPolicies);
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
