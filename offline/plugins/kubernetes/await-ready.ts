import { setTimeout } from "node:timers/promises";
import type { Operation } from "../protocol/operation.ts";
import type { ClusterObject } from "./cluster-object.ts";
import { ANNOTATION, type KubernetesObject } from "./object.ts";
import { readiness } from "./readiness.ts";
import type { CoreV1Event, V1LabelSelector, V1Pod } from "@kubernetes/client-node";
import type { ClusterApi } from "../../../host/kubernetes/cluster-api.ts";
import { isReady, podProgress, podTroubles } from "../../../host/kubernetes/pod-state.ts";

/** Limit without customTimeouts, as in the official plugin. */
const DEFAULT_SECONDS = 600;

const POLL_MILLISECONDS = 500;

/**
 * Waits until an object is ready, and reports each step. Does not throw if it never becomes ready.
 *
 * @returns the object as last seen and, if it did not become ready, why.
 */
export async function awaitReady(
  target: ClusterObject,
  first: KubernetesObject,
  operation: Operation,
): Promise<{ readonly live: KubernetesObject; readonly failure?: string }> {
  const { signal } = operation;
  const skips = first.metadata?.annotations?.[ANNOTATION.skipAwait] === "true";
  if (skips) return { live: first };
  const seconds = operation.timeoutSeconds ?? DEFAULT_SECONDS;
  const end = Date.now() + seconds * 1000;
  let live = first;
  let shown = "";
  let troubles: readonly string[] = [];
  for (;;) {
    const { state, message } = readiness(live);
    if (state === "ready") return { live };
    const seen = [message, ...troubles].join("; ");
    if (seen !== shown) operation.progress(`waiting: ${seen}`);
    shown = seen;
    const over = signal.aborted || Date.now() > end;
    if (state === "failed" || over) {
      const why =
        state === "failed"
          ? "will not become ready"
          : `is not ready after ${String(seconds)} s (customTimeouts sets the limit)`;
      const report = await podReport(target.client, live);
      return { live, failure: `${target.title} ${why}; last seen: ${message}\n${report}` };
    }
    await pause(signal);
    try {
      const read = await target.read(signal);
      if (read === undefined) return { live, failure: `${target.title} was deleted meanwhile` };
      live = read;
      troubles = podTroubles(await podsOf(target.client, live, signal)).slice(0, MOST_PODS);
    } catch (error) {
      // The API server may be unreachable for a moment; the limit above ends this.
      if (!signal.aborted) operation.progress(`waiting: ${(error as Error).message}`);
    }
  }
}

/** Waits until an object is gone. @throws with the finalizers that still hold it */
export async function awaitGone(target: ClusterObject, operation: Operation): Promise<void> {
  const { signal } = operation;
  const seconds = operation.timeoutSeconds ?? DEFAULT_SECONDS;
  const end = Date.now() + seconds * 1000;
  let uid: string | undefined;
  let live: KubernetesObject | undefined;
  for (;;) {
    if (signal.aborted || Date.now() > end) {
      const held = live?.metadata?.finalizers?.join(", ") ?? "nothing known";
      const report = live?.spec === undefined ? "" : `\n${await podReport(target.client, live)}`;
      throw new Error(
        `${target.title} still exists ${String(seconds)} s after its deletion (customTimeouts sets the limit); finalizers: ${held}${report}`,
      );
    }
    try {
      live = await target.read(signal);
    } catch (error) {
      if (!signal.aborted) operation.progress(`waiting: ${(error as Error).message}`);
    }
    uid ??= live?.metadata?.uid;
    // Another object of the same name is not the one that was deleted.
    if (live === undefined || live.metadata?.uid !== uid) return;
    operation.progress(`waiting until ${target.title} is gone`);
    await pause(signal);
  }
}

/** Waits for the next poll, or until the signal is aborted. */
function pause(signal: AbortSignal): Promise<void> {
  return setTimeout(POLL_MILLISECONDS, undefined, { signal }).catch(() => undefined);
}

/** Longest report that is still readable. */
const MOST_PODS = 5;
const MOST_EVENTS = 5;

const REPORT_SECONDS = 10;

/** Why an object is not ready: its unready pods, and the latest warnings about them and the object. */
async function podReport(client: ClusterApi, object: KubernetesObject): Promise<string> {
  const signal = AbortSignal.timeout(REPORT_SECONDS * 1000);
  try {
    const pods = await podsOf(client, object, signal);
    const names = new Set([object.metadata?.name ?? "", ...pods.map((pod) => pod.metadata?.name)]);
    const warnings = { fieldSelector: "type=Warning", limit: "200" };
    const events = await listInNamespace<CoreV1Event>(client, object, "events", warnings, signal);
    return describe(
      pods,
      events.filter((event) => names.has(event.involvedObject.name)),
    );
  } catch (error) {
    return `its pods could not be read: ${(error as Error).message}`;
  }
}

function podsOf(
  client: ClusterApi,
  object: KubernetesObject,
  signal: AbortSignal,
): Promise<V1Pod[]> {
  const query = { labelSelector: selectorOf(object), limit: "100" };
  return listInNamespace<V1Pod>(client, object, "pods", query, signal);
}

/** Objects of another kind in an object's namespace. */
async function listInNamespace<Item>(
  client: ClusterApi,
  { metadata }: KubernetesObject,
  kind: "pods" | "events",
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Item[]> {
  const path = `/api/v1/namespaces/${encodeURIComponent(metadata?.namespace ?? "default")}/${kind}`;
  const list = await client.request<{ items?: Item[] }>("GET", path, { query, signal });
  return list.items ?? [];
}

/** The report's text. Leaves out ready pods. */
export function describe(pods: readonly V1Pod[], events: readonly CoreV1Event[]): string {
  const unready = pods.filter((pod) => !isReady(pod));
  const lines = unready.slice(0, MOST_PODS).map((pod) => podProgress(pod));
  if (pods.length === 0) lines.push("there are no pods");
  if (unready.length > MOST_PODS) {
    lines.push(`and ${String(unready.length - MOST_PODS)} more pods that are not ready`);
  }
  const latest = [...events]
    .sort((left, right) => String(right.lastTimestamp).localeCompare(String(left.lastTimestamp)))
    .slice(0, MOST_EVENTS);
  for (const { reason, message, involvedObject } of latest) {
    lines.push(`event ${reason ?? ""} on ${involvedObject.name ?? ""}: ${message ?? ""}`);
  }
  return lines.join("\n");
}

function selectorOf(object: KubernetesObject): string {
  const { selector } = (object.spec ?? {}) as { readonly selector?: V1LabelSelector };
  const labels = Object.entries(selector?.matchLabels ?? {});
  return labels.map(([name, value]) => `${name}=${value}`).join(",");
}
