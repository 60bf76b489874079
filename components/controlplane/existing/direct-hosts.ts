import type { V1EndpointSlice, V1Node } from "@kubernetes/client-node";
import { type ClusterAnswers, foundItems } from "./cluster-answers.ts";
import { type ClusterConfiguration, domainsOf, known } from "./cluster-configuration.ts";
import type { ClusterRanges } from "./cluster-ranges.ts";

/** Hosts, domains and ranges that machines reach without a proxy: API servers, Linux nodes, pods and Services. */
export function directHosts(
  answers: ClusterAnswers,
  configuration: ClusterConfiguration,
  endpoint: string,
  { podCidrs, serviceCidr }: ClusterRanges,
): readonly string[] {
  const { controlPlaneEndpoint } = known(configuration.kubeadm) ?? {};
  const hosts = [endpoint, controlPlaneEndpoint ?? ""].map((each) => each.replace(/:\d+$/, ""));
  const published = foundItems<V1EndpointSlice>(answers, "apiServers").flatMap(
    ({ addressType, endpoints }) =>
      addressType === "IPv4" ? (endpoints ?? []).flatMap(({ addresses }) => addresses) : [],
  );
  const onLinux = foundItems<V1Node>(answers, "nodes")
    .filter(({ metadata }) => metadata?.labels?.["kubernetes.io/os"] !== "windows")
    .flatMap(({ status }) => status?.addresses ?? [])
    .filter(({ type }) => type === "InternalIP")
    .map(({ address }) => address);
  return [
    ...podCidrs,
    serviceCidr,
    ...domainsOf(configuration).map((domain) => `.${domain}`),
    // In the same order in every run, because another order would be another proxy setting.
    ...[...new Set([...hosts, ...published, ...onLinux])].filter((each) => each !== "").toSorted(),
  ];
}
