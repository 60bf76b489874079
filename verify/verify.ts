import { usualDomain } from "../components/controlplane/existing/cluster-configuration.ts";
import { messageOf } from "../host/failure.ts";
import type { ClusterApi } from "../host/kubernetes/cluster-api.ts";
import { Slots } from "../toolchain/slots.ts";
import { nodesOf, type Facts } from "./cluster/facts.ts";
import { type HostServer, internetPage } from "./cluster/outside.ts";
import { readDetails, readSnapshot } from "./cluster/snapshot.ts";
import { namespace } from "./objects/names.ts";
import { allRoles } from "./objects/roles.ts";
import { fitted, readSample, type SampleObject } from "./objects/samples.ts";
import { workloads } from "./objects/workloads.ts";
import type { RowResult } from "./result.ts";
import type { Row } from "./rows/row.ts";
import { whyNot } from "./rows/runnable.ts";
import {
  applyObjects,
  createNamespace,
  removeNamespace,
  type Kubectl,
} from "./run/own-namespace.ts";
import { attempt, commandText, podCommand, probeCommand, runCommand } from "./run/probe.ts";
import { ClusterView, type RowTools } from "./run/row-tools.ts";
import { runRows } from "./run/run-rows.ts";
import { networkPolicies } from "./rows/policy-cases.ts";

export interface VerifyEnd {
  /** Undefined if the run was interrupted. */
  readonly results: readonly RowResult[] | undefined;
  /** Why the cleanup failed, if it did. */
  readonly leftBehind: string | undefined;
}

export interface SessionOptions extends Kubectl {
  readonly api: ClusterApi;
  readonly facts: Facts;
  /** Server on this host; undefined if the lab's segment does not reach this host. */
  readonly host?: HostServer | undefined;
  readonly rows: readonly Row[];
  /** Image for the rows' own pods: agnhost, or one with the same commands. */
  readonly image: string;
  /** Longest time for a row, in seconds. Default: see `rowSeconds` in run-rows.ts. */
  readonly timeoutSeconds?: number | undefined;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/**
 * Creates what the rows need, runs them, and cleans up, even after a failure.
 *
 * @param keep whether to leave everything in place.
 * @throws if what the rows need could not be created.
 */
export async function verifyCluster(options: SessionOptions, keep: boolean): Promise<VerifyEnd> {
  const { api, say, signal } = options;
  let results: readonly RowResult[] | undefined;
  let leftBehind: string | undefined;
  try {
    await makeWorkloads(options);
    if (!signal.aborted) {
      const all = await tryRows(options);
      // Interrupted rows prove nothing.
      results = signal.aborted ? undefined : all;
    }
  } catch (error) {
    // ^C also ends running programs: their failures are expected.
    if (!signal.aborted) throw error;
  } finally {
    if (keep) {
      say(
        `kept the namespace ${namespace}; remove it with \`kubectl delete namespace ${namespace}\`, or the next run will`,
      );
    } else {
      leftBehind = await removeNamespace(api, say).then(() => undefined, messageOf);
      if (leftBehind !== undefined) say(`not removed: ${leftBehind}`);
    }
  }
  return { results, leftBehind };
}

/** Number of parallel commands: each is a kubectl process. */
const commandPlaces = 8;

/** Longest time for a command in a sample's container, in seconds. */
const commandSeconds = 30;

/** Creates the namespace and everything that the runnable rows need. */
export async function makeWorkloads(options: SessionOptions): Promise<void> {
  const { api, facts, image, say } = options;
  const rows = options.rows.filter((row) => whyNot(row, facts) === undefined);
  say(
    `${rows.length} of ${options.rows.length} rows can be run here; creating the namespace ${namespace} for them`,
  );
  await createNamespace(api, say);
  const samples = await sampleObjects(rows, facts, image);
  await applyObjects(options, [...workloads(allRoles(rows), image), ...samples]);
}

/** Runs the rows with the objects that `makeWorkloads` created. */
export function tryRows(options: SessionOptions): Promise<readonly RowResult[]> {
  const { api, facts, host, rows, signal } = options;
  const { clusterDomain = usualDomain } = facts;
  let isolated: Promise<void> | undefined;
  const tools = {
    view: new ClusterView(() => readSnapshot(api, clusterDomain)),
    details: () => readDetails(api, clusterDomain),
    attempt: attempt.bind(undefined, options),
    tried: (probe) => commandText(probeCommand(options, probe)),
    inPod: (pod, container, words) => podCommand(options, pod, words, container),
    run: (command) => runCommand(options, command, commandSeconds),
    isolate: () => (isolated ??= applyObjects(options, policiesOf(rows), "NetworkPolicies")),
    get: (path) => api.get(path),
    outside: { internet: internetPage, host },
    slots: new Slots(commandPlaces),
    signal,
  } satisfies RowTools;
  return runRows(rows, facts, tools, options);
}

function policiesOf(rows: readonly Row[]): readonly object[] {
  const systems = rows.flatMap((row) =>
    row.kind === "path" && row.target.to === "policy" ? row.target.os : [],
  );
  return [...new Set(systems)].flatMap(networkPolicies);
}

/** Objects of the rows' samples; a file of several rows is used once for each operating system. */
async function sampleObjects(
  rows: readonly Row[],
  facts: Facts,
  agnhost: string,
): Promise<readonly SampleObject[]> {
  const windowsBuild = nodesOf(facts, "windows")[0]?.windowsBuild;
  const lists = await Promise.all(
    rows.map(async (row) =>
      row.kind === "path"
        ? []
        : fitted(await readSample(row.look), { os: row.os, agnhost, windowsBuild }),
    ),
  );
  // An object of several rows, e.g. a Secret for pods of both operating systems, would appear twice.
  const byName = lists
    .flat()
    .map((object) => [`${object.kind} ${object.metadata.name}`, object] as const);
  return [...new Map(byName).values()];
}
