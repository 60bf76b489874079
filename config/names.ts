/** Names of what a lab makes outside Pulumi's state; all start with `prefix`, by which orphans are found. */
export type LabNames = Readonly<
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

/** Environment variable of everything a `kindows` command starts for a lab: holds the lab's prefix. */
export const labVariable = "KINDOWS_LAB";

/** Linux limits an interface's name to IFNAMSIZ (16) bytes with the final zero. */
export const maxBridgeNameLength = 15;

/** Windows' NetBIOS computer name, which the host name is cut to, has at most 15 characters. */
export const maxComputerNameLength = 15;

/** Keeps a node's full name (`kindows-<lab>-external-load-balancer` is the longest) well below a host name's 63. */
export const maxLabNameLength = 20;

export function labNames(lab: string): LabNames {
  const prefix = `kindows-${lab}`;
  return {
    prefix,
    network: prefix,
    pool: prefix,
    poolFolder: `/var/lib/libvirt/images/${prefix}`,
    dockerNetwork: prefix,
    kindCluster: prefix,
    kubeContext: prefix,
  };
}

/** A name of its own, for two addresses may lead to one libvirt; the dot is in no lab's name, so it is not another lab's. */
export function remotePool(
  lab: string,
  hypervisor: string,
): { readonly name: string; readonly folder: string } {
  const { pool, poolFolder } = labNames(lab);
  return { name: `${pool}.${hypervisor}`, folder: `${poolFolder}.${hypervisor}` };
}

/** Bridge of a lab whose settings name none; may come out longer than `maxBridgeNameLength`. */
export function defaultBridge(lab: string): string {
  return `kw-${lab}`;
}

export function defaultDomain(lab: string): string {
  return `${lab}.kindows.test`;
}

/** libvirt domain of a node, and stem of its volumes' names. */
export function domainName(lab: string, node: string): string {
  return `${labNames(lab).prefix}-${node}`;
}

/** Label kind puts on each of a cluster's containers, with the cluster's name. */
export const clusterLabel = "io.x-k8s.kind.cluster";

/** Label kind puts on each of a cluster's containers, with what the container is. */
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

/** Host name of the container under which every node knows the API server; in its certificate. */
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

/** Names in a text that separates them by commas, e.g. the value of an environment variable; none where there is none. */
export function namesIn(text: string | undefined): string[] {
  return (text ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
