import type { V1DaemonSet } from "@kubernetes/client-node";
import { kubeProxyName } from "../../kubeproxy/kube-proxy-objects.ts";
import { urlOf } from "./api-server-address.ts";
import { type ClusterAnswers, foundItems } from "./cluster-answers.ts";
import { type ClusterConfiguration, known } from "./cluster-configuration.ts";
import type { Findings } from "./findings.ts";
import { isForWindows } from "./pod-systems.ts";

/** Annotation of every object that this program creates in a cluster. */
const ownAnnotation = "pulumi.com/patchFieldManager";

/** Whether Windows nodes have a kube-proxy that is not ours, or need one. */
export function checkKubeProxy(
  answers: ClusterAnswers,
  { kubeProxy }: ClusterConfiguration,
  findings: Findings,
): "install" | "there" {
  const theirs = foundItems<V1DaemonSet>(answers, "daemonSets").some(
    (set) =>
      set.metadata?.annotations?.[ownAnnotation] !== "kindows" &&
      (isOurName(set) || (runsKubeProxy(set) && isForWindows(set.spec?.template.spec))),
  );
  if (theirs) return "there";
  if (kubeProxy === "missing") {
    findings.report(
      "ConfigMap kube-system/kube-proxy",
      "does not exist or has no kubeconfig.conf, which kube-proxy on Windows nodes needs to reach the API server",
      "Install kube-proxy as kubeadm does (kubeadm init phase addon kube-proxy), or kube-proxy for Windows yourself.",
    );
  }
  return "install";
}

/** Whether it has the name that ours would have: it would be changed and not made. */
function isOurName({ metadata }: V1DaemonSet): boolean {
  return metadata?.namespace === kubeProxyName.namespace && metadata.name === kubeProxyName.name;
}

/** By its own name, or what its containers are and run. */
function runsKubeProxy({ metadata, spec }: V1DaemonSet): boolean {
  const containers = spec?.template.spec?.containers ?? [];
  return [
    metadata?.name ?? "",
    ...containers.flatMap(({ name, image, command = [], args = [] }) => [
      ...[name, image ?? "", ...command, ...args],
    ]),
  ].some((each) => /kube-proxy/.test(each));
}

/** Nothing if kube-proxy's kubeconfig in the cluster names the endpoint itself. */
export function serverOfKubeProxy(
  { kubeProxy }: ClusterConfiguration,
  endpoint: string,
): { readonly kubeProxyServer?: string } {
  const url = urlOf(known(kubeProxy)?.clusters?.[0]?.cluster?.server);
  const isSame = url !== undefined && `${url.hostname}:${url.port || "443"}` === endpoint;
  return isSame ? {} : { kubeProxyServer: `https://${endpoint}` };
}
