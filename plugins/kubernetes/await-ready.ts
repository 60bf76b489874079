import type { Operation } from "../protocol/operation.ts";
import type { ClusterObject } from "./cluster-object.ts";
import { ANNOTATION, type KubernetesObject } from "./object.ts";
import { podReport } from "./pod-report.ts";
import { readiness } from "./readiness.ts";

/** Default without customTimeouts and annotation, as in the official plugin. */
const DEFAULT_SECONDS = 600;

const POLL_MILLISECONDS = 500;

/** Result of waiting: the object as last seen and, if it did not become ready, why. */
export interface Awaited {
  readonly live: KubernetesObject;
  readonly failure: string | undefined;
}

/** Waits until an object is ready, reporting each step. Never throws for an object that does not get ready. */
export async function awaitReady(
  target: ClusterObject,
  first: KubernetesObject,
  operation: Operation,
): Promise<Awaited> {
  const { signal } = operation;
  const annotations = first.metadata?.annotations ?? {};
  if (annotations[ANNOTATION.skipAwait] === "true") return { live: first, failure: undefined };
  const seconds =
    operation.timeoutSeconds ?? Number(annotations[ANNOTATION.timeoutSeconds] ?? DEFAULT_SECONDS);
  const end = Date.now() + seconds * 1000;
  let live = first;
  let shown = "";
  for (;;) {
    const { state, message } = readiness(live);
    if (state === "ready") return { live, failure: undefined };
    if (message !== shown) operation.progress(`waiting: ${message}`);
    shown = message;
    const over = signal.aborted || Date.now() > end;
    if (state === "failed" || over) {
      const why =
        state === "failed"
          ? "will not get ready"
          : `is not ready after ${String(seconds)} s (customTimeouts sets the limit)`;
      const report = await podReport(target.client, live);
      return { live, failure: `${target.title} ${why}; last seen: ${message}\n${report}` };
    }
    await pause(signal);
    try {
      const seen = await target.read(signal);
      if (seen === undefined) return { live, failure: `${target.title} was deleted meanwhile` };
      live = seen;
    } catch (error) {
      // The API server may be unreachable for a moment; the limit above ends this.
      if (!signal.aborted) operation.progress(`waiting: ${(error as Error).message}`);
    }
  }
}

/** Waits until an object is gone. @throws with what still holds it */
export async function awaitGone(target: ClusterObject, operation: Operation): Promise<void> {
  const { signal } = operation;
  const seconds = operation.timeoutSeconds ?? DEFAULT_SECONDS;
  const end = Date.now() + seconds * 1000;
  let uid: string | undefined;
  let live: KubernetesObject | undefined;
  for (;;) {
    const over = signal.aborted || Date.now() > end;
    if (over) {
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

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, POLL_MILLISECONDS);
    signal.addEventListener("abort", done);
  });
}
