import { addressNumber } from "../../../config/ipv4.ts";
import { publicKeyHash } from "../../../host/kubernetes/ca-cert-hash.ts";
import type { HostsEntry } from "../control-plane.ts";
import { isLoopback, urlOf } from "./api-server-address.ts";
import { type ClusterAnswers, refusalText } from "./cluster-answers.ts";
import { type ClusterConfiguration, readConfiguration } from "./cluster-configuration.ts";
import { Findings } from "./findings.ts";

export interface JoinEndpoint {
  /** `host:port` of the API server as machines reach it. */
  readonly endpoint: string;
  /** `sha256:<hex>` of the public key of the CA in `cluster-info`, which `kubeadm join` reads. */
  readonly caCertHash: string;
}

/**
 * The endpoint that machines join at, from the settings or the cluster's `cluster-info`, which `kubeadm join` reads.
 */
export function checkEndpoint(
  answers: ClusterAnswers,
  { clusterInfo }: ClusterConfiguration,
  wanted: string | undefined,
  findings: Findings,
): JoinEndpoint | undefined {
  const subject = "ConfigMap kube-public/cluster-info";
  const recreate = "Recreate it: kubeadm init phase bootstrap-token, on a control plane.";
  if (clusterInfo === "broken") return undefined;
  if (clusterInfo === "missing") {
    const why = `has no kubeconfig${refusalText(answers, "clusterInfo")}; kubeadm join reads it`;
    findings.report(subject, why, recreate);
    return undefined;
  }
  const { server, "certificate-authority-data": authority } =
    clusterInfo.clusters?.[0]?.cluster ?? {};
  let caCertHash: string;
  try {
    caCertHash = publicKeyHash(Buffer.from(authority ?? "", "base64"));
  } catch {
    findings.report(subject, "has no certificate of the cluster's authority", recreate);
    return undefined;
  }
  if (wanted !== undefined) return { endpoint: wanted, caCertHash };
  const url = urlOf(server);
  const host = url?.hostname ?? "";
  const why = isLoopback(host)
    ? "at which other machines cannot reach it"
    : host.startsWith("[")
      ? "an IPv6 address, which kindows does not use"
      : url?.protocol !== "https:"
        ? "which is not https://HOST:PORT"
        : undefined;
  if (url === undefined || why !== undefined) {
    findings.report(
      subject,
      `has the API server's address "${server ?? ""}", ${why ?? "which is none"}`,
      "Write kindows:cluster.endpoint: HOST:PORT as the machines reach it.",
    );
    return undefined;
  }
  return { endpoint: `${host}:${url.port || "443"}`, caCertHash };
}

/** The endpoint's host, if it is a name that machines have to resolve by DNS. */
export function nameToResolve(
  answers: ClusterAnswers,
  wanted: {
    readonly endpoint?: string | undefined;
    readonly hostsEntries?: readonly HostsEntry[] | undefined;
  },
): string | undefined {
  const ignored = new Findings();
  const configuration = readConfiguration(answers, ignored);
  const { endpoint = "" } = checkEndpoint(answers, configuration, wanted.endpoint, ignored) ?? {};
  const [host = ""] = endpoint.split(":");
  const isWritten = (wanted.hostsEntries ?? []).some(({ name }) => name === host);
  return host === "" || isWritten || addressNumber(host) !== undefined ? undefined : host;
}

/** `kubeadm join` reads `cluster-info` without credentials, to find out whom to trust. */
export function checkAnonymous({ anonymousStatus }: ClusterAnswers, findings: Findings): void {
  const subject = "The API server";
  const what = "to requests for cluster-info without credentials, with which kubeadm join begins";
  if (anonymousStatus === 401) {
    findings.report(
      subject,
      `answers "unauthorized" ${what} (--anonymous-auth=false, or an AuthenticationConfiguration)`,
      "Allow anonymous requests at least for the path /api/v1/namespaces/kube-public/configmaps/cluster-info: in the file of --authentication-config, anonymous: { enabled: true, conditions: [{ path: ... }] }, or without that file --anonymous-auth=true.",
    );
  } else if (anonymousStatus === 403) {
    findings.report(
      subject,
      `answers "forbidden" ${what}`,
      "Create the role and its binding again: kubeadm init phase bootstrap-token, on a control plane.",
    );
  }
}
