import type { ClusterApi } from "../../../kubernetes/cluster-api.ts";

export interface Right {
  readonly verb: string;
  /** API group; empty for the core's. */
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** Undefined: in all of the cluster. */
  readonly namespace?: string;
  readonly purpose: string;
}

/** One for each verb. @param more where it is not all of the resource, in all of the cluster. */
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

/** All that it takes to have an object of one's own in a cluster. */
export const written = ["create", "get", "patch", "delete"];

/** All that joining and removing nodes takes, whatever the pod network. */
export const rightsQuestions: readonly Right[] = [
  ...rightsTo(["get"], "", "nodes", "to wait for a node"),
  ...rightsTo(["list"], "", "nodes", "to see who is a node already"),
  ...rightsTo(["update"], "", "nodes", "to label, taint and drain a node"),
  ...rightsTo(["delete"], "", "nodes", "to take a node out"),
  ...rightsTo(["list"], "", "pods", "to drain a node"),
  ...rightsTo(["create"], "", "pods", "to drain a node", { subresource: "eviction" }),
  ...rightsTo(["create"], "", "secrets", "for a join's token", inKubeSystem),
  ...rightsTo(["delete"], "", "secrets", "to remove a join's token", inKubeSystem),
  ...rightsTo(["get"], "", "configmaps", "to read kubeadm's settings", inKubeSystem),
  ...rightsTo(written, "", "configmaps", kubeProxy, inKubeSystem),
  ...rightsTo(written, "apps", "daemonsets", kubeProxy, inKubeSystem),
  ...rightsTo(["list"], "apps", "daemonsets", "to see what runs on all nodes"),
];

/** A right as `kubectl auth can-i` takes it, and what it is for. */
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
