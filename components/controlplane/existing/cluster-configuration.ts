import type { V1ConfigMap } from "@kubernetes/client-node";
import * as z from "zod";
import { readYaml } from "../../../config/yaml-text.ts";
import { type ClusterAnswers, found } from "./cluster-answers.ts";
import type { Findings } from "./findings.ts";

/** A value that may be left out or written as null. */
const text = z.string().nullish();
const texts = z.array(z.string()).nullish();

const kubeadm = z.object({
  certificatesDir: text,
  controlPlaneEndpoint: text,
  networking: z.object({ dnsDomain: text, podSubnet: text, serviceSubnet: text }).nullish(),
});

const kubelet = z.object({
  clusterDNS: texts,
  clusterDomain: text,
  serverTLSBootstrap: z.boolean().nullish(),
  featureGates: z.record(z.string(), z.unknown()).nullish(),
});

const kubeconfig = z.object({
  clusters: z
    .array(
      z.object({
        cluster: z.object({ server: text, "certificate-authority-data": text }).nullish(),
      }),
    )
    .nullish(),
});

/** The documents in which a cluster says how it is configured: what kubeadm, its join and its addons read too. */
const documents = {
  kubeadm: { question: "kubeadmConfig", map: "kubeadm-config", key: "ClusterConfiguration" },
  kubelet: { question: "kubeletConfig", map: "kubelet-config", key: "kubelet" },
  kubeProxy: { question: "kubeProxyConfig", map: "kube-proxy", key: "kubeconfig.conf" },
  clusterInfo: {
    question: "clusterInfo",
    namespace: "kube-public",
    map: "cluster-info",
    key: "kubeconfig",
  },
} as const;

const schemas = { kubeadm, kubelet, kubeProxy: kubeconfig, clusterInfo: kubeconfig } as const;

type Name = keyof typeof documents;

/** What a document says; `missing` if it cannot be read, `broken` if it says nothing, which is reported. */
type Read<N extends Name> = z.output<(typeof schemas)[N]> | "missing" | "broken";

export type ClusterConfiguration = { readonly [N in Name]: Read<N> };

/** The document's content, if it has any. */
export function known<T extends object>(read: T | "missing" | "broken"): T | undefined {
  return typeof read === "object" ? read : undefined;
}

/** Reads all documents once. Reports each that cannot be understood, by its ConfigMap's name. */
export function readConfiguration(
  answers: ClusterAnswers,
  findings: Findings,
): ClusterConfiguration {
  const read = (name: Name): object | "missing" | "broken" => {
    const { question, map, key, ...place } = documents[name];
    const namespace = "namespace" in place ? place.namespace : "kube-system";
    const content = found<V1ConfigMap>(answers, question)?.data?.[key];
    if (typeof content !== "string") return "missing";
    const yaml = readYaml(content);
    const result = "value" in yaml ? schemas[name].safeParse(yaml.value ?? {}) : undefined;
    if (result?.success === true) return result.data;
    const [issue] = result?.error.issues ?? [];
    const why =
      "why" in yaml ? yaml.why : `has another form than it must at ${issue?.path.join(".") ?? ""}`;
    findings.report(
      `ConfigMap ${namespace}/${map}`,
      `${why} of its ${key}`,
      `Correct it: kubectl -n ${namespace} edit configmap ${map}.`,
    );
    return "broken";
  };
  return Object.fromEntries(
    (Object.keys(documents) as Name[]).map((name) => [name, read(name)]),
  ) as unknown as ClusterConfiguration;
}

/** kubeadm's default. */
export const usualDomain = "cluster.local";

/** Domains of Services, at least one: kubeadm's for the cluster's DNS, and the one that kubelets tell pods. */
export function domainsOf({ kubeadm, kubelet }: ClusterConfiguration): readonly string[] {
  const all = [known(kubeadm)?.networking?.dnsDomain, known(kubelet)?.clusterDomain];
  const domains = all.flatMap((each) => (each ? [each.replace(/\.$/, "")] : []));
  return domains.length > 0 ? [...new Set(domains)] : [usualDomain];
}
