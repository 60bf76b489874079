import type { types } from "@pulumi/kubernetes";

const name = "flannel-windows-nodes";
const labels = { "k8s-app": "flannel" };
const annotations = { "pulumi.com/patchFieldManager": "kindows" };

/**
 * What flanneld needs on a Windows node beyond what its kubelet may do.
 *
 * There it is a service with kubelet's own credentials, which renew themselves, and no token that lies on a disk for a
 * year. A kubelet may write its own Node's status, where Flannel's annotations go; the other Nodes, in which Flannel
 * finds their ranges, it has not been shown since Kubernetes 1.32 (AuthorizeNodeWithSelectors).
 */
export function windowsNodesRole(): types.input.rbac.v1.ClusterRole {
  return {
    metadata: { name, labels, annotations },
    rules: [{ apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch"] }],
  };
}

/** For all nodes: RBAC knows those of one system no better than the others. */
export function windowsNodesBinding(): types.input.rbac.v1.ClusterRoleBinding {
  return {
    metadata: { name, labels, annotations },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    subjects: [{ kind: "Group", name: "system:nodes", apiGroup: "rbac.authorization.k8s.io" }],
  };
}
