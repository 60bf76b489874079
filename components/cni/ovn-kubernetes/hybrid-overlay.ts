import { ClusterRole } from "@pulumi/kubernetes/rbac/v1/clusterRole.js";
import { ClusterRoleBinding } from "@pulumi/kubernetes/rbac/v1/clusterRoleBinding.js";
import type * as pulumi from "@pulumi/pulumi";

import { type ControlPlane, deletedWith } from "../../controlplane/control-plane.ts";

const name = "hybrid-overlay-windows-nodes";
const metadata = { name, annotations: { "pulumi.com/patchFieldManager": "kindows" } };
const rbac = "rbac.authorization.k8s.io";

/** A cluster is not created with it. */
export function install(): never {
  throw new Error("OVN-Kubernetes is found in existing clusters, and not installed");
}

/**
 * What the service on Windows nodes may do beyond their kubelets, whose credentials it has: see all Nodes, which have their
 * ranges, and all pods, whose addresses it announces.
 */
export function complete(
  parent: pulumi.Resource,
  resourceName: string,
  controlPlane: ControlPlane,
): pulumi.Resource {
  const { provider, resource } = controlPlane;
  const child = { parent, provider, replaceWith: [resource], ...deletedWith(controlPlane) };
  const role = new ClusterRole(
    `${resourceName}-windows`,
    {
      metadata,
      rules: [{ apiGroups: [""], resources: ["nodes", "pods"], verbs: ["get", "list", "watch"] }],
    },
    child,
  );
  return new ClusterRoleBinding(
    `${resourceName}-windows`,
    {
      metadata,
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name },
      subjects: [{ kind: "Group", name: "system:nodes", apiGroup: rbac }],
    },
    { ...child, dependsOn: [role] },
  );
}
