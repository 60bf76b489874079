import type { V1LabelSelector, V1NetworkPolicy, V1Pod } from "@kubernetes/client-node";

/** Names of the policies that limit what comes in to a pod, or what goes out of it; none does on its node's network. */
export function policiesOn(
  pod: V1Pod,
  direction: "Ingress" | "Egress",
  policies: readonly V1NetworkPolicy[],
): readonly string[] {
  if (pod.spec?.hostNetwork === true) return [];
  return policies
    .filter(
      ({ spec }) =>
        spec !== undefined &&
        // Without a list of its own a policy is about ingress, and about egress where it has rules for that.
        (spec.policyTypes ?? ["Ingress", ...(spec.egress ? ["Egress"] : [])]).includes(direction) &&
        selects(spec.podSelector ?? {}, pod.metadata?.labels ?? {}),
    )
    .map(({ metadata }) => metadata?.name ?? "");
}

/** Whether a selector fits labels, as Kubernetes reads it: an empty one fits all. */
export function selects(
  selector: V1LabelSelector,
  labels: Readonly<Record<string, string>>,
): boolean {
  const exact = Object.entries(selector.matchLabels ?? {});
  return (
    exact.every(([key, value]) => labels[key] === value) &&
    (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
      const value = labels[key];
      switch (operator) {
        case "In":
          return value !== undefined && values.includes(value);
        case "NotIn":
          return value === undefined || !values.includes(value);
        case "Exists":
          return value !== undefined;
        default:
          return value === undefined;
      }
    })
  );
}
