/** Label kind puts on each of a cluster's containers, with the cluster's name. */
export const clusterLabel = "io.x-k8s.kind.cluster";

/** Label kind puts on each of a cluster's containers, with what the container is. */
export const roleLabel = "io.x-k8s.kind.role";

/** Container, host and node name of the first control plane. */
export function firstControlPlane(cluster: string): string {
  return `${cluster}-control-plane`;
}

/** Host name of the container under which every node knows the API server; in its certificate. */
export function endpointHost(cluster: string, controlPlanes: 1 | 3): string {
  return controlPlanes === 1 ? firstControlPlane(cluster) : `${cluster}-external-load-balancer`;
}

/** Names kind gives to the control planes' containers, hosts and nodes. */
export function controlPlaneNodes(cluster: string, controlPlanes: 1 | 3): string[] {
  const first = firstControlPlane(cluster);
  return controlPlanes === 1 ? [first] : [first, `${first}2`, `${first}3`];
}
