import type { V1ContainerStatus, V1Pod } from "@kubernetes/client-node";

/** Whether a pod serves: its Ready condition, as Services and rollouts go by. */
export function isReady(pod: V1Pod): boolean {
  return (pod.status?.conditions ?? []).some(
    (condition) => condition.type === "Ready" && condition.status === "True",
  );
}

/** What a pod waits for or fails with; nothing where it does not say. */
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

/** That a container is only being made is no trouble. */
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
