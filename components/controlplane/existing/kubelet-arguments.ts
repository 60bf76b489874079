import type { V1Service } from "@kubernetes/client-node";
import semver from "semver";
import { addressNumber } from "../../../config/ipv4.ts";
import { type ClusterAnswers, foundItems } from "./cluster-answers.ts";
import { type ClusterConfiguration, known } from "./cluster-configuration.ts";
import type { Findings } from "./findings.ts";

export interface WantedKubelets {
  readonly kubernetesVersion: string;
  readonly nodes: readonly { readonly kubeletArgs?: Readonly<Record<string, string>> }[];
}

/**
 * Checks what all kubelets inherit from kubelet-config.
 *
 * @returns arguments for Windows nodes that replace what holds on Linux nodes only
 */
export function checkKubelets(
  answers: ClusterAnswers,
  { kubelet }: ClusterConfiguration,
  { nodes, kubernetesVersion }: WantedKubelets,
  server: string,
  findings: Findings,
): Readonly<Record<string, string>> {
  const { clusterDNS, serverTLSBootstrap, featureGates } = known(kubelet) ?? {};
  if (serverTLSBootstrap === true) {
    findings.warn(
      "The cluster's kubelets ask for their serving certificates (serverTLSBootstrap): unless something in the cluster approves the requests of the Windows nodes, kubectl logs and exec fail there. Approve each: kubectl get csr, kubectl certificate approve NAME",
    );
  }
  const gates = Object.keys(featureGates ?? {});
  if (
    gates.length > 0 &&
    semver.coerce(server)?.minor !== semver.coerce(kubernetesVersion)?.minor
  ) {
    findings.warn(
      `ConfigMap kube-system/kubelet-config sets the feature gates ${gates.join(", ")}: a kubelet of another minor version, like ${kubernetesVersion} on the Windows nodes, does not start if it does not know them all`,
    );
  }
  const ofCluster = clusterDNS ?? [];
  // A daemon on each Linux node listens at these, e.g. node-local-dns at 169.254.25.10.
  const isOnNode = (address: string): boolean => /^(169\.254\.|127\.|fe80:|::1$)/.test(address);
  const others = ofCluster.filter((address) => !isOnNode(address));
  if (others.length === ofCluster.length) return {};
  const [service] = foundItems<V1Service>(answers, "dnsServices")
    .map(({ spec }) => spec?.clusterIP ?? "")
    .filter((address) => addressNumber(address) !== undefined)
    .toSorted((a, b) => (addressNumber(a) ?? 0) - (addressNumber(b) ?? 0));
  const servers = others.length > 0 ? others : service === undefined ? [] : [service];
  if (servers.length > 0) return { "cluster-dns": servers.join(",") };
  if (nodes.some(({ kubeletArgs }) => kubeletArgs?.["cluster-dns"] === undefined)) {
    findings.report(
      "ConfigMap kube-system/kubelet-config",
      `has clusterDNS ${ofCluster.join(", ")}, where only Linux nodes have a DNS server, and the cluster has no Service with the label k8s-app=kube-dns whose address Windows nodes could use instead`,
      'Write the address of the cluster\'s DNS into kindows:nodes[].kubeletArgs, e.g. { cluster-dns: "10.96.0.10" }.',
    );
  }
  return {};
}
