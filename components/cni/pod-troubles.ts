import type { V1ContainerStatus, V1Pod } from "@kubernetes/client-node";

/** What pods wait for or fail with, one sentence for each that says so; none for those that run. */
export function podTroubles(pods: readonly V1Pod[]): string[] {
  return pods.flatMap((pod) => {
    const {
      initContainerStatuses = [],
      containerStatuses = [],
      conditions = [],
    } = pod.status ?? {};
    const unscheduled = conditions.find(
      ({ type, status }) => type === "PodScheduled" && status === "False",
    );
    const troubles = [...initContainerStatuses, ...containerStatuses].flatMap(containerTrouble);
    if (unscheduled !== undefined) {
      troubles.push(unscheduled.message ?? "not scheduled");
    }
    const where = pod.spec?.nodeName === undefined ? "" : ` on ${pod.spec.nodeName}`;
    return troubles.length === 0
      ? []
      : [`pod ${pod.metadata?.name ?? ""}${where}: ${troubles.join("; ")}`];
  });
}

/** Waiting for an image, or for a crashed program to be started again. That a container is only being made is no trouble. */
function containerTrouble({ name, state }: V1ContainerStatus): string[] {
  const { reason = "", message } = state?.waiting ?? {};
  if (reason === "" || reason === "ContainerCreating" || reason === "PodInitializing") {
    return [];
  }
  return [`${name} waits: ${reason}${message === undefined ? "" : ` (${message})`}`];
}
