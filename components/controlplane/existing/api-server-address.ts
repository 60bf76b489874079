import type { V1EndpointSlice } from "@kubernetes/client-node";
import { addressNumber } from "../../../config/ipv4.ts";
import { publishedAddress } from "../../../host/kubernetes/endpoint-slices.ts";
import type { HostsEntry } from "../control-plane.ts";
import { type ClusterAnswers, foundItems } from "./cluster-answers.ts";
import type { Findings } from "./findings.ts";

export function urlOf(server: string | null | undefined): URL | undefined {
  return server !== null && server !== undefined && URL.canParse(server)
    ? new URL(server)
    : undefined;
}

/** Whether a host means the machine itself, wherever the text is read. */
export function isLoopback(host: string): boolean {
  return /^(localhost$|\[::1?\]$|127\.|0\.)/.test(host);
}

/** Where pods that cannot wait for Services and DNS reach the API server. */
export interface ApiServerAddress {
  readonly host: string;
  readonly port: string;
  /** Whether `host` is an address and no name. */
  readonly isAddress: boolean;
}

/**
 * The address behind the endpoint: its own, that of its name in the settings, or else the one that an API server
 * publishes itself.
 */
export function apiServerAddress(
  answers: ClusterAnswers,
  endpoint: string | undefined,
  hostsEntries: readonly HostsEntry[] = [],
): ApiServerAddress {
  const [host = "", port = ""] = endpoint?.split(":") ?? [];
  const at = (address: string, its: string): ApiServerAddress => ({
    ...{ host: address, port: its, isAddress: true },
  });
  if (addressNumber(host) !== undefined) return at(host, port);
  const entry = hostsEntries.find(({ name }) => name === host);
  if (entry !== undefined) return at(entry.address, port);
  const published = publishedAddress(foundItems<V1EndpointSlice>(answers, "apiServers"));
  return published === undefined
    ? { host, port, isAddress: false }
    : at(published.address, String(published.port));
}

/**
 * Warns if the API server's certificate is not for the endpoint's host, where kubeadm join would not trust it. Only
 * that, because another API server of the cluster may have another certificate.
 */
export function uncoveredHost(
  { certificate }: ClusterAnswers,
  endpoint: string,
  findings: Findings,
): void {
  const [host = ""] = endpoint.split(":");
  const covered =
    certificate === undefined ||
    (addressNumber(host) === undefined
      ? certificate.checkHost(host) !== undefined
      : certificate.checkIP(host) !== undefined);
  if (covered) return;
  findings.warn(
    `The API server's certificate is not for ${host}, where the machines join, but for ${certificate.subjectAltName ?? "no host"}: ` +
      "unless another API server's is, add it to apiServer.certSANs of kubeadm-config and renew the certificate (kubeadm init phase certs apiserver), or write another kindows:cluster.endpoint",
  );
}

/** Warns if the endpoint is a name that DNS does not know: nodes may have it in /etc/hosts, machines do not. */
export function unknownName(
  { isNameKnown }: ClusterAnswers,
  endpoint: string,
  { host: address, isAddress }: ApiServerAddress,
  findings: Findings,
): void {
  const [name = ""] = endpoint.split(":");
  if (isNameKnown !== false) return;
  const example = isAddress ? `, e.g. { name: ${name}, address: ${address} }` : "";
  findings.warn(
    `The API server's name ${name} is not in the DNS that this host uses: if the machines cannot resolve it either, ` +
      `write it and its address as kindows:cluster.hostsEntries${example}`,
  );
}
