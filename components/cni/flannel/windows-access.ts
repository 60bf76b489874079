import type { types } from "@pulumi/kubernetes";

const name = "flannel-windows-nodes";
const labels = { "k8s-app": "flannel" };
const annotations = { "pulumi.com/patchFieldManager": "kindows" };

/**
 * Permissions of flanneld on a Windows node beyond those of its kubelet.
 * It is a service there with kubelet's own credentials, which renew themselves, instead of a token that stays on the disk
 * for a year. A kubelet may write its own Node's status, for Flannel's annotations, but since Kubernetes 1.32
 * (AuthorizeNodeWithSelectors) it may not read the other Nodes, which have their ranges.
 */
export function windowsNodesRole(): types.input.rbac.v1.ClusterRole {
  return {
    metadata: { name, labels, annotations },
    rules: [{ apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch"] }],
  };
}

/** For all nodes, as RBAC cannot distinguish operating systems. */
export function windowsNodesBinding(): types.input.rbac.v1.ClusterRoleBinding {
  return {
    metadata: { name, labels, annotations },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    subjects: [{ kind: "Group", name: "system:nodes", apiGroup: "rbac.authorization.k8s.io" }],
  };
}
