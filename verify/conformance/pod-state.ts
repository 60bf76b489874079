import type { V1Pod } from "@kubernetes/client-node";

import { testsContainer } from "./objects.ts";

/** How far the pod with the tests is. */
export type PodState =
  | { readonly kind: "waiting"; readonly seen: string }
  | { readonly kind: "running" }
  /** It was ended from outside, and the Job makes no other one. */
  | { readonly kind: "failed"; readonly why: string }
  | { readonly kind: "ended"; readonly exitCode: number };

/** What of the Job's pods says how far the tests are. */
export function podState(pods: readonly V1Pod[]): PodState {
  const [pod] = pods;
  if (pod === undefined) {
    return { kind: "waiting", seen: "the Job has made no pod yet" };
  }
  const statuses = pod.status?.containerStatuses ?? [];
  const tests = statuses.find(({ name }) => name === testsContainer)?.state;
  if (tests?.terminated !== undefined) {
    return { kind: "ended", exitCode: tests.terminated.exitCode };
  }
  if (pod.status?.phase === "Failed") {
    const { reason = "", message = "" } = pod.status;
    return { kind: "failed", why: [reason, message].filter(Boolean).join(": ") || "no reason" };
  }
  const waiting = statuses.map(({ state }) => state?.waiting).find((each) => each !== undefined);
  if (waiting !== undefined) {
    return { kind: "waiting", seen: [waiting.reason, waiting.message].filter(Boolean).join(": ") };
  }
  if (tests?.running !== undefined) {
    return { kind: "running" };
  }
  const unscheduled = pod.status?.conditions?.find(
    ({ type, status }) => type === "PodScheduled" && status === "False",
  );
  return { kind: "waiting", seen: unscheduled?.message ?? "its pod is on its way" };
}
