/** What the plugin must know about a kind of object; the API server checks everything else. */
export interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Paths of fields whose change replaces the object, as with the official plugin. */
  readonly immutable: readonly (readonly string[])[];
}

/** The covered kinds of an API group, by their type tokens in @pulumi/kubernetes. */
function group(
  apiVersion: string,
  covered: readonly (readonly [kind: string, plural: string, ...more: Partial<Kind>[]])[],
): [string, Kind][] {
  const version = apiVersion === "v1" ? "core/v1" : apiVersion;
  return covered.map(([kind, plural, more]) => [
    `kubernetes:${version}:${kind}`,
    { apiVersion, kind, plural, namespaced: true, immutable: [], ...more },
  ]);
}

const clusterWide = { namespaced: false } as const;
const selector = { immutable: [["spec", "selector"]] } as const;
const roleRef = { immutable: [["roleRef"]] } as const;

/** The covered kinds, by type token. */
export const kinds: ReadonlyMap<string, Kind> = new Map([
  ...group("v1", [
    ["ConfigMap", "configmaps", { immutable: [["data"], ["binaryData"]] }],
    ["Namespace", "namespaces", clusterWide],
    ["Secret", "secrets", { immutable: [["type"], ["data"], ["stringData"]] }],
    ["ServiceAccount", "serviceaccounts"],
  ]),
  ...group("apps/v1", [
    ["DaemonSet", "daemonsets", selector],
    ["Deployment", "deployments", selector],
  ]),
  ...group("rbac.authorization.k8s.io/v1", [
    ["ClusterRole", "clusterroles", clusterWide],
    ["ClusterRoleBinding", "clusterrolebindings", { ...clusterWide, ...roleRef }],
    ["Role", "roles"],
    ["RoleBinding", "rolebindings", roleRef],
  ]),
  // The cluster must have KubeVirt and CDI.
  ...group("kubevirt.io/v1", [["VirtualMachine", "virtualmachines"]]),
  ...group("cdi.kubevirt.io/v1beta1", [["DataVolume", "datavolumes"]]),
  // The cluster must have the definitions of Tigera's operator, which uses one object of each kind.
  ...group("operator.tigera.io/v1", [
    ["APIServer", "apiservers", clusterWide],
    ["Installation", "installations", clusterWide],
  ]),
]);

/** Paths of the properties whose change replaces an object of the kind. */
export function replacingPaths(kind: Kind | undefined): Kind["immutable"] {
  return [["metadata", "name"], ["metadata", "namespace"], ...(kind?.immutable ?? [])];
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
