import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import path from "node:path";

import type { V1Pod, V1PodList } from "@kubernetes/client-node";
import { execa } from "execa";
import { extract } from "tar";

import { messageOf } from "../../host/failure.ts";
import type { ClusterApi } from "../../host/kubernetes/cluster-api.ts";
import { podProgress } from "../../host/kubernetes/pod-state.ts";
import { waitUntil } from "../../host/wait-until.ts";
import {
  applyObjects,
  removeNamespace,
  startDeleting,
  type Kubectl,
} from "../run/own-namespace.ts";
import type { ConformanceRun } from "./suites.ts";
import {
  name,
  namespace,
  resultsContainer,
  resultsFolder,
  testsContainer,
  type ConformanceObject,
} from "./objects.ts";

export interface JobRun extends Kubectl {
  readonly api: ClusterApi;
  readonly run: ConformanceRun;
  readonly objects: readonly ConformanceObject[];
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** Longest waits in seconds: for images and scheduling, for results, for removal. */
const startSeconds = 1800;
const gatherSeconds = 600;
const removeSeconds = 600;

export const logName = "e2e.log";

/**
 * Runs the tests as a Job, and downloads their log and results.
 *
 * @returns exit code of the tests.
 * @throws if they did not start or end in time, or were interrupted; the log so far is downloaded nevertheless.
 */
export async function runJob(job: JobRun): Promise<number> {
  const { say, run } = job;
  await removeRun(job);
  await applyObjects(job, job.objects, "the tests' objects");
  try {
    await untilState(job, "the tests to start", startSeconds, ["running", "ended"]);
    say(
      `the tests are running, for at most ${run.timeoutSeconds} s; their log is downloaded at the end`,
    );
    // Longer than the tests' own limit, at which they report what was running.
    const limit = run.timeoutSeconds + 600;
    const ended = await untilState(job, "the tests to end", limit, ["ended"]);
    return "exitCode" in ended ? ended.exitCode : 1;
  } finally {
    await gather(job);
  }
}

/** Removes everything that a run has created, and waits until it is gone. */
export async function removeRun({ api, say }: Pick<JobRun, "api" | "say">): Promise<void> {
  await startDeleting(api, `/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/${name}`);
  await removeNamespace(api, say, namespace, removeSeconds);
}

async function untilState(
  { api, signal, say }: JobRun,
  what: string,
  timeoutSeconds: number,
  wanted: readonly PodState["kind"][],
): Promise<PodState> {
  const onChange = (seen: string): void => say(`conformance: ${seen}`);
  const options = { what, timeoutSeconds, pollMilliseconds: 5000, onChange, signal };
  const found = await waitUntil<PodState>(options, async () => {
    const state = podState((await pods(api)).items);
    // An error would only be retried.
    if ([...wanted, "failed"].includes(state.kind)) return { found: state };
    return state.kind === "waiting" ? state.seen : `the tests are ${state.kind}`;
  }).catch((error: unknown) => {
    if (signal.aborted) throw new Error("interrupted: the tests did not finish");
    throw error;
  });
  if (found.kind !== "failed") return found;
  throw new Error(`the tests did not finish, because their pod has failed: ${found.why}`);
}

function pods(api: ClusterApi): Promise<V1PodList> {
  const selector = encodeURIComponent(`job-name=${name}`);
  return api.get<V1PodList>(`/api/v1/namespaces/${namespace}/pods?labelSelector=${selector}`);
}

/** Downloads log and results. Failures are only reported, so that they do not hide the result of the tests. */
async function gather(job: JobRun): Promise<void> {
  const [pod] = await pods(job.api).then(
    ({ items }) => items,
    (): V1Pod[] => [],
  );
  const podName = pod?.metadata?.name;
  if (podName === undefined) {
    job.say("conformance: there is no pod to fetch a log from");
    return;
  }
  const log = createWriteStream(path.join(job.folder, logName));
  await fetchInto(job, "log", log, ["logs", podName, "--container", testsContainer]);
  // tar skips members that would be written outside the folder.
  const results = extract({ cwd: job.folder });
  const tar = ["--", "tar", "-c", "-f", "-", "-C", resultsFolder, "."];
  await fetchInto(job, "results", results, [
    ...["exec", podName, "--container", resultsContainer, ...tar],
  ]);
}

async function fetchInto(
  { kubectl, kubeconfig, say }: JobRun,
  what: string,
  into: NodeJS.WritableStream,
  args: readonly string[],
): Promise<void> {
  const program = execa(kubectl, ["--kubeconfig", kubeconfig, "--namespace", namespace, ...args], {
    buffer: { stdout: false },
    timeout: gatherSeconds * 1000,
  });
  await Promise.all([pipeline(program.stdout, into), program]).catch((error: unknown) =>
    say(`conformance: the ${what} could not be fetched: ${messageOf(error)}`),
  );
}

type PodState =
  | { readonly kind: "waiting"; readonly seen: string }
  | { readonly kind: "running" }
  /** The pod was ended from outside, and the Job does not create another one. */
  | { readonly kind: "failed"; readonly why: string }
  | { readonly kind: "ended"; readonly exitCode: number };

export function podState([pod]: readonly V1Pod[]): PodState {
  if (pod === undefined) return { kind: "waiting", seen: "the Job has not created a pod yet" };
  const { phase, reason, message, containerStatuses = [] } = pod.status ?? {};
  const tests = containerStatuses.find(({ name }) => name === testsContainer)?.state;
  if (tests?.terminated !== undefined) {
    return { kind: "ended", exitCode: tests.terminated.exitCode };
  }
  if (phase === "Failed") {
    const why = [reason, message].filter(Boolean).join(": ");
    return { kind: "failed", why: why || "no reason" };
  }
  const isWaiting = containerStatuses.some(({ state }) => state?.waiting !== undefined);
  return tests?.running !== undefined && !isWaiting
    ? { kind: "running" }
    : { kind: "waiting", seen: podProgress(pod) };
}
