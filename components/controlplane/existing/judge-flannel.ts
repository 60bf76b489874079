import type { V1ConfigMap } from "@kubernetes/client-node";
import type { FlannelBackend } from "../../cni/flannel/flannel-config.ts";
import { found, type ClusterAnswers } from "./cluster-answers.ts";
import type { ClusterProblem } from "./cluster-problem.ts";

interface NetConf {
  readonly Backend?: { readonly Type?: string; readonly VNI?: number; readonly Port?: number };
}

/** Flannel's ConfigMap, and where it is. */
export function flannelConfig(
  answers: ClusterAnswers,
): { readonly name: string; readonly netConf: string } | undefined {
  for (const [question, namespace] of [
    ["flannelConfig", "kube-flannel"],
    ["flannelConfigInKubeSystem", "kube-system"],
  ] as const) {
    const netConf = found<V1ConfigMap>(answers, question)?.data?.["net-conf.json"];
    if (netConf !== undefined) {
      return { name: `${namespace}/kube-flannel-cfg`, netConf };
    }
  }
  return undefined;
}

/** Flannel's backend, or why Windows nodes cannot have it. */
export function judgeFlannel(config: {
  readonly name: string;
  readonly netConf: string;
}): FlannelBackend | ClusterProblem {
  const subject = `ConfigMap ${config.name}`;
  const again =
    "then restart Flannel on all nodes: every pod's packets change their way, so nothing here does it by the way";
  let netConf: NetConf;
  try {
    netConf = JSON.parse(config.netConf) as NetConf;
  } catch {
    return { subject, why: "has a net-conf.json that is not JSON", instead: "Mend it." };
  }
  const { Type = "udp", VNI, Port } = netConf.Backend ?? {};
  if (Type === "host-gw") {
    return "host-gw";
  }
  if (Type !== "vxlan") {
    return {
      subject,
      why: `has the backend ${Type}; Windows nodes have vxlan and host-gw`,
      instead: `Set {"Type":"vxlan","VNI":4096,"Port":4789} yourself, ${again}.`,
    };
  }
  return VNI === 4096 && Port === 4789
    ? "vxlan"
    : {
        subject,
        why: `has VXLAN with VNI ${VNI ?? "1 (Flannel's default)"} and port ${Port ?? "8472 (Linux' default)"}; Windows takes 4096 and 4789`,
        instead: `Set {"Type":"vxlan","VNI":4096,"Port":4789} yourself, ${again}.`,
      };
}
