import type { V1PodSpec } from "@kubernetes/client-node";

const osLabels = ["kubernetes.io/os", "beta.kubernetes.io/os"];

/** Whether a pod only comes to Windows nodes, by a selector or an affinity. */
export function isForWindows(pod: V1PodSpec | undefined): boolean {
  const { nodeSelector = {}, affinity, os } = pod ?? {};
  const selected = osLabels.flatMap((label) => nodeSelector[label] ?? []);
  const terms =
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return (
    os?.name === "windows" ||
    selected.includes("windows") ||
    "node.kubernetes.io/windows-build" in nodeSelector ||
    (terms.length > 0 &&
      terms.every(({ matchExpressions = [] }) =>
        matchExpressions.some(
          ({ key, operator, values = [] }) =>
            osLabels.includes(key) && operator === "In" && values.join() === "windows",
        ),
      ))
  );
}

/** Whether a pod's selectors allow Windows nodes. Taints do not count, because they can be removed at any time. */
export function comesToWindows(pod: V1PodSpec | undefined): boolean {
  if (pod === undefined) return false;
  const { nodeSelector = {}, affinity } = pod;
  // A selector for Windows is intended, one for Linux keeps the pod away.
  if (osLabels.some((label) => nodeSelector[label] !== undefined)) return false;
  const terms =
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  // A pod can run on a node that any of the terms matches.
  return (
    terms.length === 0 ||
    terms.some(
      ({ matchExpressions = [] }) => !matchExpressions.some(({ key }) => osLabels.includes(key)),
    )
  );
}
