import { ClusterRole } from "@pulumi/kubernetes/rbac/v1/clusterRole.js";
import { ClusterRoleBinding } from "@pulumi/kubernetes/rbac/v1/clusterRoleBinding.js";
import type { types } from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";

import { type ControlPlane, deletedWith } from "../controlplane/control-plane.ts";

/** Resources that a pod network's service on Windows nodes may read, in addition to what kubelets may read. */
interface WindowsAccess {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly resources: readonly string[];
}

const rbac = "rbac.authorization.k8s.io";

/** A role, and its binding to all nodes, because RBAC cannot distinguish operating systems. */
export function accessObjects({ name, labels, resources }: WindowsAccess): {
  readonly role: types.input.rbac.v1.ClusterRole;
  readonly binding: types.input.rbac.v1.ClusterRoleBinding;
} {
  const annotations = { "pulumi.com/patchFieldManager": "kindows" };
  const metadata = { name, ...(labels && { labels }), annotations };
  const verbs = ["get", "list", "watch"];
  return {
    role: { metadata, rules: [{ apiGroups: [""], resources: [...resources], verbs }] },
    binding: {
      metadata,
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name },
      subjects: [{ kind: "Group", name: "system:nodes", apiGroup: rbac }],
    },
  };
}

export function accessOfNodes(
  name: string,
  access: WindowsAccess,
  child: pulumi.CustomResourceOptions,
): pulumi.Resource {
  const { role, binding } = accessObjects(access);
  const clusterRole = new ClusterRole(`${name}-windows`, role, child);
  return new ClusterRoleBinding(`${name}-windows`, binding, { ...child, dependsOn: [clusterRole] });
}

/** A `PodNetworkComponents.complete` that only grants this access. */
export function accessInExisting(access: WindowsAccess) {
  return (parent: pulumi.Resource, name: string, controlPlane: ControlPlane): pulumi.Resource => {
    const { provider, resource } = controlPlane;
    const child = { parent, provider, replaceWith: [resource], ...deletedWith(controlPlane) };
    return accessOfNodes(name, access, child);
  };
}
