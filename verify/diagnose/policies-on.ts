import type { V1LabelSelector, V1NetworkPolicy, V1Pod } from "@kubernetes/client-node";

/** Names of the policies that limit a pod's ingress or egress; none applies to a pod on its node's network. */
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
        // Without policyTypes, a policy applies to ingress, and to egress only if it has rules for egress.
        (spec.policyTypes ?? ["Ingress", ...(spec.egress ? ["Egress"] : [])]).includes(direction) &&
        selects(spec.podSelector ?? {}, pod.metadata?.labels ?? {}),
    )
    .map(({ metadata }) => metadata?.name ?? "");
}

/** Whether a label selector matches labels. As in Kubernetes, an empty selector matches all. */
export function selects(
  { matchLabels = {}, matchExpressions = [] }: V1LabelSelector,
  labels: Readonly<Record<string, string>>,
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      const isOneOf = value !== undefined && values.includes(value);
      if (operator === "In") return isOneOf;
      if (operator === "NotIn") return !isOneOf;
      return (value !== undefined) === (operator === "Exists");
    })
  );
}
