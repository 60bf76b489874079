import type { V1Pod } from "@kubernetes/client-node";

/**
 * The pods a drain has to move away, as `kubectl drain --ignore-daemonsets --delete-emptydir-data --force` picks them:
 * not those of DaemonSets (they come back at once), not the kubelet's own static ones, not finished ones.
 */
export function podsToEvict(pods: readonly V1Pod[]): V1Pod[] {
  return pods.filter((pod) => !isDaemon(pod) && !isStatic(pod) && !isFinished(pod));
}

function isDaemon(pod: V1Pod): boolean {
  return (pod.metadata?.ownerReferences ?? []).some(
    (owner) => owner.controller === true && owner.kind === "DaemonSet",
  );
}

function isStatic(pod: V1Pod): boolean {
  return pod.metadata?.annotations?.["kubernetes.io/config.mirror"] !== undefined;
}

function isFinished(pod: V1Pod): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}

/** `namespace/name`. */
export function podName(pod: V1Pod): string {
  return `${pod.metadata?.namespace ?? ""}/${pod.metadata?.name ?? ""}`;
}
