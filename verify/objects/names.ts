import type { Os } from "../rows/row.ts";

export const namespace = "kindows-verify";

export const roleLabel = "kindows.dev/verify";

/**
 * What pods are for.
 *
 * - `client`: connections begin there. It serves too, for a policy that keeps others from it.
 * - `server`: they end there, also those to Services.
 * - `node`: a client on the node's own network.
 * - `host-port`: a server behind a port of the node.
 * - `host-server`: a server on the node's own network.
 * - `isolated`: a server whose connections NetworkPolicies limit, both ways.
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

/** Service in front of the servers of a system, or of those on its nodes' network: cluster address and NodePort. */
export function serviceName(os: Os, network?: "host"): string {
  return network === "host" ? `${os}-host` : os;
}

/** Headless Service that gives each server a name. */
export function podsServiceName(os: Os): string {
  return `${os}-pods`;
}

export const serverPort = 8080;

/** Port of the nodes that leads to the host-port servers; neither reserved nor in the range of NodePorts. */
export const hostPort = 28080;

/** Port of the nodes that servers on their network listen on; as with `hostPort`. */
export const hostServerPort = 28081;

/** Domain of the cluster, kubeadm's default. */
const clusterDomain = "cluster.local";

export function serviceDomain(service: string): string {
  return `${service}.${namespace}.svc.${clusterDomain}`;
}

/** Full name of a server: what DNS calls an endpoint of a headless Service that has no name of its own. */
export function podDomain(os: Os, address: string): string {
  const name = address.replaceAll(".", "-");
  return `${name}.${serviceDomain(podsServiceName(os))}`;
}
