import { namespace, type Os, type Part, roleLabels, serverPort } from "../objects/names.ts";

interface PolicyCase {
  /** Continues the word "NetworkPolicy" in titles. */
  readonly title: string;
  readonly from: Part;
  readonly to: Part;
  readonly port: number;
  readonly allowed: boolean;
  /**
   * Rules of the case's own policy for the isolated pods. Default: no own policy, because another case's policy
   * decides.
   */
  readonly rules?: (os: Os) => object;
  /** Name of the case whose policy decides. Default: this case. */
  readonly decidedBy?: string;
}

const cases = {
  "default-deny": {
    title: "that allows nothing",
    from: "client",
    to: "isolated",
    port: 8081,
    allowed: false,
    rules: () => ({ policyTypes: ["Ingress", "Egress"] }),
  },
  label: {
    title: "by label",
    from: "client",
    to: "isolated",
    port: 8082,
    allowed: true,
    rules: (os) => ingress(8082, { podSelector: { matchLabels: roleLabels(os, "client") } }),
  },
  "other-label": {
    title: "by another label",
    from: "server",
    to: "isolated",
    port: 8082,
    allowed: false,
    decidedBy: "label",
  },
  namespace: {
    title: "by namespace",
    from: "client",
    to: "isolated",
    port: 8083,
    allowed: true,
    rules: () => ingress(8083, inNamespace(namespace)),
  },
  "other-namespace": {
    title: "by another namespace",
    from: "client",
    to: "isolated",
    port: 8084,
    allowed: false,
    rules: () => ingress(8084, inNamespace("kube-system")),
  },
  port: {
    title: "by port",
    from: "client",
    to: "isolated",
    port: 8085,
    allowed: true,
    rules: () => ingress(8085),
  },
  egress: {
    title: "for egress",
    from: "isolated",
    to: "server",
    port: serverPort,
    allowed: true,
    rules: (os) => ({
      policyTypes: ["Egress"],
      egress: [{ to: [{ podSelector: { matchLabels: roleLabels(os, "server") } }] }],
    }),
  },
  "other-egress": {
    title: "for egress to other pods",
    from: "isolated",
    to: "client",
    port: serverPort,
    allowed: false,
    decidedBy: "egress",
  },
} as const satisfies Readonly<Record<string, PolicyCase>>;

export type PolicyCaseName = keyof typeof cases;

/** Test cases for NetworkPolicies. Their names are the end of the rows' ids. */
export const policyCases: Readonly<Record<PolicyCaseName, PolicyCase>> = cases;

export const policyCaseNames = Object.keys(cases) as readonly PolicyCaseName[];

/** Ports of the isolated pods. Each ingress policy is about a different port, so one set of pods is enough. */
export const isolatedPorts: readonly number[] = [
  ...new Set(Object.values(policyCases).flatMap(({ to, port }) => (to === "isolated" ? port : []))),
];

/** The policies on a system's isolated pods. */
export function networkPolicies(os: Os): readonly object[] {
  return policyCaseNames.flatMap((name) => {
    const { rules } = policyCases[name];
    if (rules === undefined) return [];
    const metadata = { name: policyName(os, name), namespace };
    const spec = { podSelector: { matchLabels: roleLabels(os, "isolated") }, ...rules(os) };
    return [{ apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata, spec }];
  });
}

/** Name of the policy that decides about a case. */
export function policyName(os: Os, name: PolicyCaseName): string {
  return `${os}-${policyCases[name].decidedBy ?? name}`;
}

function ingress(port: number, ...from: readonly object[]): object {
  return {
    policyTypes: ["Ingress"],
    ingress: [{ ...(from.length > 0 && { from }), ports: [{ port }] }],
  };
}

function inNamespace(name: string): object {
  return { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } } };
}
