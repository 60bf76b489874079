/** Operating system of a node or pod, as in the label `kubernetes.io/os`. */
export type Os = "linux" | "windows";

export const namespace = "kindows-verify";

export const roleLabel = "kindows.dev/verify";

/**
 * Purpose of a pod.
 *
 * - `client`: connections begin there. It also runs a server, for a policy that denies access to it.
 * - `server`: connections end there, including those to Services.
 * - `node`: a client on the node's own network.
 * - `host-port`: a server behind a port of the node.
 * - `host-server`: a server on the node's own network.
 * - `isolated`: a server whose connections NetworkPolicies limit in both directions.
 */
export type Part = "client" | "server" | "node" | "host-port" | "host-server" | "isolated";

/** A kind of pods, one on each node of its operating system. */
export interface Role {
  readonly os: Os;
  readonly part: Part;
}

/** Name of a role's DaemonSet, and value of its pods' label. */
export function roleName({ os, part }: Role): string {
  return `${os}-${part}`;
}

export function roleLabels(os: Os, part: Part): Record<string, string> {
  return { [roleLabel]: roleName({ os, part }) };
}

/** Service with a cluster address and a NodePort for the servers of a system, or for those on its nodes' network. */
export function serviceName(os: Os, network?: "host"): string {
  return network === "host" ? `${os}-host` : os;
}

/** Headless Service that gives each server a DNS name. */
export function podsServiceName(os: Os): string {
  return `${os}-pods`;
}

export const serverPort = 8080;

/** Port of the nodes that leads to the host-port servers; it is neither reserved nor in the range of NodePorts. */
export const hostPort = 28080;

/** Port that servers on the nodes' network listen on; chosen like `hostPort`. */
export const hostServerPort = 28081;

/** @param clusterDomain domain of the cluster's DNS */
export function serviceDomain(service: string, clusterDomain: string): string {
  return `${service}.${namespace}.svc.${clusterDomain}`;
}

/** Full DNS name of a server, which is an endpoint of a headless Service without a host name. */
export function podDomain(os: Os, address: string, clusterDomain: string): string {
  const name = address.replaceAll(".", "-");
  return `${name}.${serviceDomain(podsServiceName(os), clusterDomain)}`;
}
