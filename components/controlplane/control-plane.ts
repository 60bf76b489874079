import type * as pulumi from "@pulumi/pulumi";
import type * as k8s from "@pulumi/kubernetes";

/** A line of a hosts file. */
export interface HostsEntry {
  /** IPv4 address. */
  readonly address: string;
  /** Host name, e.g. `kindows-rehearsal-control-plane`. */
  readonly name: string;
}

/**
 * What a node joins: the only thing a node component, or whatever is installed into the cluster, knows of it.
 *
 * Who made it, and how, is nobody's business but its maker's.
 */
export interface ControlPlane {
  /** Admin kubeconfig as YAML, reaching the API server by address from this host; secret. */
  readonly kubeconfig: pulumi.Output<string>;
  /** `host:port` of the API server as nodes see it, e.g. `kindows-rehearsal-control-plane:6443`. */
  readonly endpoint: pulumi.Output<string>;
  /** `sha256:<64 hex digits>` of the cluster CA's public key, for kubeadm's discovery. */
  readonly caCertHash: pulumi.Output<string>;
  /** Kubernetes version without a leading `v`, e.g. `1.36.4`. */
  readonly kubernetesVersion: string;
  /** Names a node must be able to resolve before it joins, for its hosts file. */
  readonly hostsEntries: pulumi.Output<HostsEntry[]>;
  /** Kubernetes provider for this cluster; stays the same while the cluster does. */
  readonly provider: k8s.Provider;
  /** For `dependsOn` and `deletedWith`: what lives in the cluster is deleted with it. */
  readonly resource: pulumi.Resource;
  /**
   * Whether the cluster was there before and outlives the stack: what is put into it is taken out again then, also when
   * all of the stack goes. Default: it goes with the stack.
   */
  readonly isRetained?: boolean;
  /** IPv4 range of pods in CIDR form. */
  readonly podCidr: string;
  /** IPv4 range of services in CIDR form. */
  readonly serviceCidr: string;
}

/** Options of what lives in a cluster: it is deleted with the cluster, unless the cluster is retained. */
export function deletedWith({
  resource,
  isRetained,
}: Pick<ControlPlane, "resource" | "isRetained">): Pick<
  pulumi.CustomResourceOptions,
  "deletedWith"
> {
  return isRetained === true ? {} : { deletedWith: resource };
}
