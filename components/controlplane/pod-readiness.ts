import type { V1Pod } from "@kubernetes/client-node";

/** Whether a pod serves: its Ready condition, as Services and rollouts go by. */
export function isReady(pod: V1Pod): boolean {
  return (pod.status?.conditions ?? []).some(
    (condition) => condition.type === "Ready" && condition.status === "True",
  );
}
