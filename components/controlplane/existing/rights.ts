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

const nodes = (verb: string, purpose: string): Right => ({
  verb,
  group: "",
  resource: "nodes",
  purpose,
});

const inKubeSystem = (verb: string, group: string, resource: string, purpose: string): Right => ({
  verb,
  group,
  resource,
  purpose,
  namespace: "kube-system",
});

const kubeProxy = "kube-proxy on Windows nodes";

/** All that it takes to have an object of one's own in a cluster. */
export const written = ["create", "get", "patch", "delete"];

/** All that joining and removing nodes takes, whatever the pod network. */
export const rightsQuestions: readonly Right[] = [
  nodes("get", "to wait for a node"),
  nodes("list", "to see who is a node already"),
  nodes("update", "to label, taint and drain a node"),
  nodes("delete", "to take a node out"),
  { verb: "list", group: "", resource: "pods", purpose: "to drain a node" },
  {
    verb: "create",
    group: "",
    resource: "pods",
    subresource: "eviction",
    purpose: "to drain a node",
  },
  inKubeSystem("create", "", "secrets", "for a join's token"),
  inKubeSystem("delete", "", "secrets", "to remove a join's token"),
  inKubeSystem("get", "", "configmaps", "to read kubeadm's settings"),
  ...written.map((verb) => inKubeSystem(verb, "", "configmaps", kubeProxy)),
  ...written.map((verb) => inKubeSystem(verb, "apps", "daemonsets", kubeProxy)),
  { verb: "list", group: "apps", resource: "daemonsets", purpose: "to see what runs on all nodes" },
];

/** A right as `kubectl auth can-i` takes it, and what it is for. */
export function rightText({ verb, group, resource, subresource, ...right }: Right): string {
  const groupText = group === "" ? "" : `.${group}`;
  const subresourceText = subresource === undefined ? "" : `/${subresource}`;
  const namespace = right.namespace === undefined ? "" : ` -n ${right.namespace}`;
  return `${verb} ${resource}${groupText}${subresourceText}${namespace} (${right.purpose})`;
}

/** Asks the API server about one right. */
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
