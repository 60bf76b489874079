import type { V1LabelSelector, V1NetworkPolicy, V1Pod } from "@kubernetes/client-node";

/** Names of the policies for a pod's ingress or egress; none apply on the host network. */
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
        // Without policyTypes a policy is for ingress, and for egress if it has egress rules.
        (spec.policyTypes ?? ["Ingress", ...(spec.egress ? ["Egress"] : [])]).includes(direction) &&
        selects(spec.podSelector ?? {}, pod.metadata?.labels ?? {}),
    )
    .map(({ metadata }) => metadata?.name ?? "");
}

/** Whether a selector matches labels; an empty one matches all. */
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
