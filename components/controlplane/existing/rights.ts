import type { ClusterApi } from "../../../host/kubernetes/cluster-api.ts";
import type { Findings } from "./findings.ts";

export interface Right {
  readonly verb: string;
  /** API group; empty for the core group. */
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** Undefined for the whole cluster. */
  readonly namespace?: string;
  readonly purpose: string;
}

/** One right for each verb. @param more limits them to a namespace or subresource. */
export function rightsTo(
  verbs: readonly string[],
  group: string,
  resource: string,
  purpose: string,
  more: Pick<Right, "namespace" | "subresource"> = {},
): Right[] {
  return verbs.map((verb) => ({ verb, group, resource, purpose, ...more }));
}

const kubeProxy = "kube-proxy on Windows nodes";
const inKubeSystem = { namespace: "kube-system" };

/** Verbs that are needed to manage an object with Pulumi. */
export const managed = ["create", "get", "patch", "delete"];

/** Rights that joining and removing nodes needs with any pod network. */
export const joiningRights: readonly Right[] = [
  ...rightsTo(["get"], "", "nodes", "to wait for a node"),
  ...rightsTo(["list"], "", "nodes", "to see the existing nodes"),
  ...rightsTo(["update"], "", "nodes", "to label, taint and drain a node"),
  ...rightsTo(["delete"], "", "nodes", "to remove a node"),
  ...rightsTo(["list"], "", "pods", "to drain a node"),
  ...rightsTo(["create"], "", "pods", "to drain a node", { subresource: "eviction" }),
  ...rightsTo(["create"], "", "secrets", "to create a join token", inKubeSystem),
  ...rightsTo(["delete"], "", "secrets", "to remove a join token", inKubeSystem),
  ...rightsTo(["get"], "", "configmaps", "to read kubeadm's settings", inKubeSystem),
  ...rightsTo(managed, "", "configmaps", kubeProxy, inKubeSystem),
  ...rightsTo(managed, "apps", "daemonsets", kubeProxy, inKubeSystem),
  ...rightsTo(["list"], "apps", "daemonsets", "to see what runs on all nodes"),
];

/** A right as arguments of `kubectl auth can-i`, and its purpose. */
export function rightText({ verb, group, resource, subresource, ...right }: Right): string {
  const groupText = group === "" ? "" : `.${group}`;
  const subresourceText = subresource === undefined ? "" : `/${subresource}`;
  const namespace = right.namespace === undefined ? "" : ` -n ${right.namespace}`;
  return `${verb} ${resource}${groupText}${subresourceText}${namespace} (${right.purpose})`;
}

export async function isAllowed(
  api: Pick<ClusterApi, "ask">,
  { verb, group, resource, subresource, namespace }: Right,
): Promise<boolean> {
  const { status } = await api.ask<{ status?: { allowed?: boolean } }>(
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes: { verb, group, resource, subresource, namespace } },
    },
  );
  return status?.allowed === true;
}

/** Reports which of the needed rights are denied. @param ofNetwork what the pod network needs besides */
export function checkRights(
  denied: readonly Right[],
  ofNetwork: readonly Right[],
  findings: Findings,
): void {
  const needed = [...joiningRights, ...ofNetwork].map(rightText);
  const lacking = denied.map(rightText).filter((text) => needed.includes(text));
  if (lacking.length > 0) {
    findings.report(
      "The kubeconfig's user",
      `may not do this (checked as by kubectl auth can-i):\n${[...new Set(lacking)].map((text) => `      ${text}\n`).join("")}   `,
      "Have these rights granted, or use another context or kubeconfig.",
    );
  }
}
