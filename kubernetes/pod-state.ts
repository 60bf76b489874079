import type { V1ContainerStatus, V1Pod } from "@kubernetes/client-node";

/** Whether a pod is Ready. */
export function isReady(pod: V1Pod): boolean {
  return (pod.status?.conditions ?? []).some(
    (condition) => condition.type === "Ready" && condition.status === "True",
  );
}

/** What a pod waits for or fails with, if it says so. */
export function podTroubles({ status }: V1Pod): string[] {
  const { initContainerStatuses = [], containerStatuses = [], conditions = [] } = status ?? {};
  const unscheduled = conditions.find(
    (condition) => condition.type === "PodScheduled" && condition.status === "False",
  );
  return [
    ...[...initContainerStatuses, ...containerStatuses].flatMap(containerTrouble),
    ...(unscheduled ? [unscheduled.message ?? "not scheduled"] : []),
  ];
}

/** A container that is just being created is no problem. */
function containerTrouble({ name, state }: V1ContainerStatus): string[] {
  const { waiting, terminated } = state ?? {};
  if (terminated !== undefined && terminated.exitCode !== 0) {
    return [`${name} ended with ${terminated.exitCode}`];
  }
  const { reason = "", message } = waiting ?? {};
  return ["", "ContainerCreating", "PodInitializing"].includes(reason)
    ? []
    : [`${name} waits: ${reason}${message === undefined ? "" : ` (${message})`}`];
}
