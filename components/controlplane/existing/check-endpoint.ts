import type { V1ConfigMap } from "@kubernetes/client-node";
import { parse } from "yaml";
import { publicKeyHash } from "../../../kubernetes/ca-cert-hash.ts";
import { found, type ClusterAnswers } from "./cluster-answers.ts";
import type { ClusterProblem } from "./cluster-problem.ts";

/** How machines find the API server and know that it is the right one. */
export interface JoinTarget {
  /** `host:port`. */
  readonly endpoint: string;
  /** `sha256:<hex>` of the CA that kubeadm's join will see. */
  readonly caCertHash: string;
}

interface ClusterInfo {
  readonly clusters?: readonly {
    readonly cluster?: {
      readonly server?: string;
      readonly "certificate-authority-data"?: string;
    };
  }[];
}

const subject = "ConfigMap kube-public/cluster-info";

/**
 * Where machines join: by the cluster's own `cluster-info`, which kubeadm's join reads, and the settings.
 *
 * @param wanted `host:port` of the settings, if any.
 */
export function checkEndpoint(
  answers: ClusterAnswers,
  wanted: string | undefined,
): JoinTarget | ClusterProblem {
  const text = found<V1ConfigMap>(answers, "clusterInfo")?.data?.["kubeconfig"];
  if (text === undefined) {
    const answer = answers.answers.clusterInfo;
    return {
      subject,
      why: `has no kubeconfig${"message" in answer ? `: ${answer.message}` : ""}; kubeadm's join reads it`,
      instead: "Recreate it: kubeadm init phase bootstrap-token, on a control plane.",
    };
  }
  const { server = "", "certificate-authority-data": authority = "" } =
    (parse(text) as ClusterInfo | null)?.clusters?.[0]?.cluster ?? {};
  let caCertHash: string;
  try {
    caCertHash = publicKeyHash(Buffer.from(authority, "base64"));
  } catch {
    const instead = "Recreate it: kubeadm init phase bootstrap-token, on a control plane.";
    return { subject, why: "has no certificate of the cluster's authority", instead };
  }
  if (wanted !== undefined) return { endpoint: wanted, caCertHash };
  const url = URL.canParse(server) ? new URL(server) : undefined;
  const host = url?.hostname ?? "";
  if (url === undefined || host === "localhost" || host === "[::1]" || host.startsWith("127.")) {
    return {
      subject,
      why: `says that the API server is at "${server}", where other machines do not find it`,
      instead: "Write kindows:cluster.endpoint: HOST:PORT as the machines reach it.",
    };
  }
  return { endpoint: `${host}:${url.port || "443"}`, caCertHash };
}
