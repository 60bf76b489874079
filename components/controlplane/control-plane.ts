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
 * A cluster that nodes join. Nodes and whatever is installed into the cluster depend only on this interface, not on how
 * the cluster was made.
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
  /** Entries for a node's hosts file, for names that it must be able to resolve before it joins. */
  readonly hostsEntries: pulumi.Output<HostsEntry[]>;
  /** Kubernetes provider for this cluster. It is not replaced as long as the cluster is the same. */
  readonly provider: k8s.Provider;
  /** For `dependsOn` and `deletedWith`: what lives in the cluster is deleted with it. */
  readonly resource: pulumi.Resource;
  /**
   * Whether the cluster existed before the stack and outlives it. If so, objects of the stack in the cluster are
   * deleted one by one, even when the whole stack is destroyed. Default: false; the cluster is destroyed with the
   * stack.
   */
  readonly isRetained?: boolean;
  /** IPv4 range of pods in CIDR form. */
  readonly podCidr: string;
  /** IPv4 range of services in CIDR form. */
  readonly serviceCidr: string;
}

/** Options of resources in a cluster: they are deleted with the cluster, unless the cluster is retained. */
export function deletedWith({
  resource,
  isRetained,
}: Pick<ControlPlane, "resource" | "isRetained">): Pick<
  pulumi.CustomResourceOptions,
  "deletedWith"
> {
  return isRetained === true ? {} : { deletedWith: resource };
}
