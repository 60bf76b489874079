/** Names of everything a lab makes outside Pulumi's own state; all of them carry the lab's name. */
export interface LabNames {
  /** `kindows-<lab>`: what every other name starts with, and by which leftovers are found. */
  readonly prefix: string;
  /** libvirt network. */
  readonly network: string;
  /** libvirt storage pool. */
  readonly pool: string;
  /** Folder of the pool on the host. */
  readonly poolFolder: string;
  /** Docker network that adopts the libvirt network's bridge. */
  readonly dockerNetwork: string;
  /** kind cluster. */
  readonly kindCluster: string;
  /** Context, cluster and user in a kubeconfig. */
  readonly kubeContext: string;
}

/** Linux limits an interface's name to IFNAMSIZ (16) bytes with the final zero. */
export const maxBridgeNameLength = 15;

/** Windows' NetBIOS computer name, which the host name is cut to, has at most 15 characters. */
export const maxComputerNameLength = 15;

/** Keeps a node's full name (`kindows-<lab>-external-load-balancer` is the longest) well below a host name's 63. */
export const maxLabNameLength = 20;

/** All names of the lab called `lab`. */
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

/**
 * Pool of a lab on another hypervisor, and its folder there. A name of its own, for two addresses may lead to one
 * libvirt; the dot is in no lab's name, so it is not taken for another lab's.
 */
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

/** DNS domain of a lab whose settings name none. */
export function defaultDomain(lab: string): string {
  return `${lab}.kindows.test`;
}

/** libvirt domain of a node, and stem of its volumes' names. */
export function domainName(lab: string, node: string): string {
  return `${labNames(lab).prefix}-${node}`;
}

/** Node and container name of a Linux worker. */
export function linuxWorkerName(lab: string, worker: string): string {
  return `${labNames(lab).prefix}-${worker}`;
}

/** Node and container names kind gives to `count` control planes of a lab. */
export function controlPlaneNames(lab: string, count: number): string[] {
  const first = `${labNames(lab).kindCluster}-control-plane`;
  return Array.from({ length: count }, (_, index) =>
    index === 0 ? first : `${first}${index + 1}`,
  );
}

/** Container name kind gives to the load balancer in front of several control planes. */
export function loadBalancerName(lab: string): string {
  return `${labNames(lab).kindCluster}-external-load-balancer`;
}
