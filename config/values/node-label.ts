import type { Complaint } from "../problem.ts";

const name = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const prefix = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;
const maxPrefixLength = 253;

/**
 * The labels below kubernetes.io and k8s.io that a kubelet may give its own node; it refuses to start with others.
 *
 * Source: Kubernetes 1.36 pkg/kubelet/apis/well_known_labels.go.
 */
const kubeletMaySet = new Set([
  "kubernetes.io/hostname",
  "kubernetes.io/arch",
  "kubernetes.io/os",
  "node.kubernetes.io/instance-type",
  "topology.kubernetes.io/region",
  "topology.kubernetes.io/zone",
  "beta.kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/instance-type",
  "failure-domain.beta.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
]);

/** Those of them that follow from the machine itself; another value would break scheduling. */
const setByKubelet = new Set(["kubernetes.io/hostname", "kubernetes.io/arch", "kubernetes.io/os"]);

const kubeletPrefix = /(^|\.)(kubelet|node)\.kubernetes\.io$/;
const kubernetesPrefix = /(^|\.)(kubernetes|k8s)\.io$/;

/** A key in Kubernetes' syntax for labels and taints: `[prefix/]name`. */
export function qualifiedName(value: string): Complaint | undefined {
  const parts = value.split("/");
  const [last, first] = [parts.at(-1) ?? "", parts.length === 2 ? parts[0] : undefined];
  if (parts.length > 2 || !name.test(last)) {
    return {
      why: "is not a Kubernetes key",
      instead:
        "Write [PREFIX/]NAME: up to 63 letters, digits, -, _ and ., with a letter or digit at both ends.",
    };
  }
  if (first !== undefined && (!prefix.test(first) || first.length > maxPrefixLength)) {
    return {
      why: "has a prefix that is not a DNS domain",
      instead: `Write a prefix as example.com/${last}.`,
    };
  }
  return undefined;
}

/** Key of a label that a kubelet may give its own node. */
export function labelKey(value: string): Complaint | undefined {
  const complaint = qualifiedName(value);
  if (complaint !== undefined) {
    return complaint;
  }
  const domain = value.includes("/") ? value.slice(0, value.indexOf("/")) : "";
  if (setByKubelet.has(value)) {
    return { why: "is set by the kubelet itself", instead: "Leave it out." };
  }
  if (kubernetesPrefix.test(domain) && !kubeletPrefix.test(domain) && !kubeletMaySet.has(value)) {
    return {
      why: "is reserved: a kubelet refuses to start with it, so that a node can't promote itself",
      instead: `Use a prefix of your own, e.g. example.com/${value.slice(domain.length + 1)}.`,
    };
  }
  return undefined;
}

/** Value of a label or taint. */
export function labelValue(value: string): Complaint | undefined {
  return value === "" || name.test(value)
    ? undefined
    : {
        why: "is not a Kubernetes label value",
        instead:
          "Write up to 63 letters, digits, -, _ and ., with a letter or digit at both ends, or nothing.",
      };
}
