/** What the plugin has to know of a kind of object; everything else is up to the API server. */
export interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
  /** Its name in URLs. */
  readonly plural: string;
  readonly namespaced: boolean;
  /** Fields that cannot change in place, as paths of keys; a change replaces the object. */
  readonly immutable: readonly (readonly string[])[];
}

const core = { apiVersion: "v1", namespaced: true, immutable: [] } as const;
const apps = {
  apiVersion: "apps/v1",
  namespaced: true,
  immutable: [["spec", "selector"]],
} as const;
/** Tigera's operator has one object of each, whose definition has to be in the cluster first. */
const operator = { apiVersion: "operator.tigera.io/v1", namespaced: false, immutable: [] } as const;
const rbac = { apiVersion: "rbac.authorization.k8s.io/v1", immutable: [] } as const;

/** The kinds that are covered, by the type token of @pulumi/kubernetes. */
const kinds: Readonly<Record<string, Kind>> = {
  "kubernetes:core/v1:ConfigMap": { ...core, kind: "ConfigMap", plural: "configmaps" },
  "kubernetes:core/v1:Namespace": {
    ...core,
    kind: "Namespace",
    plural: "namespaces",
    namespaced: false,
  },
  "kubernetes:core/v1:Secret": {
    ...core,
    kind: "Secret",
    plural: "secrets",
    immutable: [["type"]],
  },
  "kubernetes:core/v1:ServiceAccount": {
    ...core,
    kind: "ServiceAccount",
    plural: "serviceaccounts",
  },
  "kubernetes:apps/v1:DaemonSet": { ...apps, kind: "DaemonSet", plural: "daemonsets" },
  "kubernetes:apps/v1:Deployment": { ...apps, kind: "Deployment", plural: "deployments" },
  "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole": {
    ...rbac,
    kind: "ClusterRole",
    plural: "clusterroles",
    namespaced: false,
  },
  "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding": {
    ...rbac,
    kind: "ClusterRoleBinding",
    plural: "clusterrolebindings",
    namespaced: false,
    immutable: [["roleRef"]],
  },
  "kubernetes:rbac.authorization.k8s.io/v1:Role": {
    ...rbac,
    kind: "Role",
    plural: "roles",
    namespaced: true,
  },
  "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding": {
    ...rbac,
    kind: "RoleBinding",
    plural: "rolebindings",
    namespaced: true,
    immutable: [["roleRef"]],
  },
  "kubernetes:operator.tigera.io/v1:APIServer": {
    ...operator,
    kind: "APIServer",
    plural: "apiservers",
  },
  "kubernetes:operator.tigera.io/v1:Installation": {
    ...operator,
    kind: "Installation",
    plural: "installations",
  },
};

/** The kind for a type token, or undefined where it is not covered. */
export function kindOf(type: string): Kind | undefined {
  return kinds[type];
}

/** URL path of the objects of a kind in a namespace, or of one of them. */
export function objectPath(kind: Kind, namespace: string, name?: string): string {
  const root = kind.apiVersion.includes("/")
    ? `/apis/${kind.apiVersion}`
    : `/api/${kind.apiVersion}`;
  const scope = kind.namespaced ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  const object = name === undefined ? "" : `/${encodeURIComponent(name)}`;
  return `${root}${scope}/${kind.plural}${object}`;
}
