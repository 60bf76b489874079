/** Names of a lab's resources outside Pulumi's state. All contain `prefix`, by which leftover resources are found. */
type LabNames = Readonly<
  Record<
    | "prefix"
    | "network"
    | "pool"
    | "poolFolder"
    | "dockerNetwork"
    | "kindCluster"
    /** Context, cluster and user in a kubeconfig. */
    | "kubeContext",
    string
  >
>;

/** Environment variable with the lab's prefix, set for every process that a `kindows` command starts for a lab. */
export const labVariable = "KINDOWS_LAB";

/** Environment variable with the random id of the lab, set like `labVariable`. A new stack takes it for its own. */
export const labIdVariable = "KINDOWS_LAB_ID";

/** Label of a lab's Docker network with that id. */
export const labIdLabel = "kindows.lab-id";

/** Triggers by which the resource that keeps the id is found in a stack's state, whatever its name. */
export const labIdTriggers: readonly string[] = [labIdLabel];

/** Label of a lab's image registry and of the volume with its images, with the lab's prefix. */
export const registryLabel = "kindows.registry-of";

/** Container of a lab's image registry, and the volume with its images. */
export function registryName(prefix: string): string {
  return `${prefix}-registry`;
}

/** Linux limits an interface's name to IFNAMSIZ (16) bytes, including the final zero. */
export const maxBridgeNameLength = 15;

/** Windows cuts the host name to its NetBIOS computer name, which has at most 15 characters. */
export const maxComputerNameLength = 15;

/** Keeps the longest node name, `kindows-<lab>-external-load-balancer`, well below the 63 characters of a host name. */
export const maxLabNameLength = 20;

/** Where libvirt keeps disks unless it is told otherwise. */
export const imagesFolder = "/var/lib/libvirt/images";

/** The folder of a lab's pool on this host, below the folder that its settings choose. */
export function poolFolderOf(settings: {
  readonly lab: { readonly name: string };
  readonly hypervisor: { readonly folder: string };
}): string {
  return `${settings.hypervisor.folder.replace(/\/+$/, "")}/${labNames(settings.lab.name).pool}`;
}

export function labNames(lab: string): LabNames {
  const prefix = `kindows-${lab}`;
  return {
    prefix,
    network: prefix,
    pool: prefix,
    poolFolder: `${imagesFolder}/${prefix}`,
    dockerNetwork: prefix,
    kindCluster: prefix,
    kubeContext: prefix,
  };
}

/**
 * The storage pool of a lab on another host. It differs from the local pool because two addresses may lead to the same
 * libvirt. No lab's name contains a dot, so the name can't be another lab's.
 */
export function remotePool(
  lab: string,
  hypervisor: string,
): { readonly name: string; readonly folder: string } {
  const { pool, poolFolder } = labNames(lab);
  return { name: `${pool}.${hypervisor}`, folder: `${poolFolder}.${hypervisor}` };
}

/** Bridge of a lab whose settings name none; may be longer than `maxBridgeNameLength`. */
export function defaultBridge(lab: string): string {
  return `kw-${lab}`;
}

export function defaultDomain(lab: string): string {
  return `${lab}.kindows.test`;
}

/** libvirt domain of a node, and the prefix of its volumes' names. */
export function domainName(lab: string, node: string): string {
  return `${labNames(lab).prefix}-${node}`;
}

/** Label on each container of a kind cluster, with the cluster's name. */
export const clusterLabel = "io.x-k8s.kind.cluster";

/** Label on each container of a kind cluster, with the container's role. */
export const roleLabel = "io.x-k8s.kind.role";

export function controlPlaneNames(cluster: string, count: number): string[] {
  return Array.from(
    { length: count },
    (_, index) => `${firstControlPlane(cluster)}${index === 0 ? "" : index + 1}`,
  );
}

export function firstControlPlane(cluster: string): string {
  return `${cluster}-control-plane`;
}

export function loadBalancerName(cluster: string): string {
  return `${cluster}-external-load-balancer`;
}

/** Host name by which every node reaches the API server, and which its certificate contains. */
export function endpointHost(cluster: string, controlPlanes: number): string {
  return controlPlanes === 1 ? firstControlPlane(cluster) : loadBalancerName(cluster);
}

export function kindContainers(cluster: string, controlPlanes: number): string[] {
  return [
    ...new Set([
      ...controlPlaneNames(cluster, controlPlanes),
      endpointHost(cluster, controlPlanes),
    ]),
  ];
}

export function linuxWorkerName(cluster: string, worker: string): string {
  return `${cluster}-${worker}`;
}

/** Splits a list of names that are separated by commas, e.g. the value of an environment variable. */
export function namesIn(text: string | undefined): string[] {
  return (text ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
