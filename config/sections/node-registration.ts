import * as z from "zod";
import { type Check, type Complaint, repeated } from "../problem.ts";
import { unnamed } from "../values/dns-name.ts";
import { ofForm, text } from "../values/value.ts";

const namePart = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;

const labelValue = ofForm(
  new RegExp(`^$|${namePart.source}`),
  "is not a Kubernetes label value",
  "Write up to 63 letters, digits, -, _ and ., with a letter or digit at both ends, or nothing.",
);

const kubeletArgumentValue = ofForm(
  /^[!#$&-~]*$/,
  "can't be used in the command line of a Windows service",
  "Write it without blanks, double quotes, % and non-ASCII characters; a share of a disk as an amount, e.g. memory.available<500Mi,nodefs.available<6Gi.",
);

const taint = z
  .strictObject({
    key: text(qualifiedName).meta({ description: "Taint key." }),
    value: text(labelValue).default("").meta({ description: "Taint value." }),
    effect: z
      .enum(["NoSchedule", "PreferNoSchedule", "NoExecute"])
      .meta({ description: "Effect on pods that do not tolerate the taint." }),
  })
  .meta({
    placeholder: (index: number) => ({ key: unnamed(index), effect: "NoSchedule" }),
  });

export const registration = {
  labels: z.record(text(labelKey), text(labelValue)).default({}).meta({
    description: "Labels that the node registers with. Later changes are applied to the Node.",
  }),
  taints: z.array(taint).default([]).meta({
    description: "Taints that the node registers with. Later changes are applied to the Node.",
  }),
  kubeletArgs: z.record(text(kubeletArgumentName), text(kubeletArgumentValue)).default({}).meta({
    description:
      'Additional kubelet arguments, by name without the leading dashes, e.g. `max-pods: "60"`. Arguments that kindows sets itself are refused.',
  }),
};

const prefixPart = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;
const maxPrefixLength = 253;

/** Labels below kubernetes.io and k8s.io that a kubelet may set (1.36, pkg/kubelet/apis/well_known_labels.go). */
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

/** Labels that kubelet derives from the machine; another value would break scheduling. */
const setByKubelet = new Set(["kubernetes.io/hostname", "kubernetes.io/arch", "kubernetes.io/os"]);

const kubeletPrefix = /(^|\.)(kubelet|node)\.kubernetes\.io$/;
const kubernetesPrefix = /(^|\.)(kubernetes|k8s)\.io$/;

function qualifiedName(value: string): Complaint | undefined {
  const parts = value.split("/");
  const [last, first] = [parts.at(-1) ?? "", parts.length === 2 ? parts[0] : undefined];
  if (parts.length > 2 || !namePart.test(last)) {
    return {
      why: "is not a Kubernetes key",
      instead:
        "Write [PREFIX/]NAME: up to 63 letters, digits, -, _ and ., with a letter or digit at both ends.",
    };
  }
  if (first !== undefined && (!prefixPart.test(first) || first.length > maxPrefixLength)) {
    return {
      why: "has a prefix that is not a DNS domain",
      instead: `Write a DNS domain before the slash, e.g. example.com/${last}.`,
    };
  }
  return undefined;
}

function labelKey(value: string): Complaint | undefined {
  const complaint = qualifiedName(value);
  if (complaint !== undefined) return complaint;
  const domain = value.includes("/") ? value.slice(0, value.indexOf("/")) : "";
  if (setByKubelet.has(value)) {
    return { why: "is set by the kubelet itself", instead: "Leave it out." };
  }
  if (kubernetesPrefix.test(domain) && !kubeletPrefix.test(domain) && !kubeletMaySet.has(value)) {
    return {
      why: "is reserved: kubelet refuses to start with it, so that a node can't promote itself",
      instead: `Use a prefix of your own, e.g. example.com/${value.slice(domain.length + 1)}.`,
    };
  }
  return undefined;
}

type Refusal = readonly [why: string, instead: string];

const owned = (why: string): Refusal => [why, "Leave it out."];
const setting = (name: string, what: string): Refusal => [
  `is how this program gives the node ${what}`,
  `Use the setting \`${name}\` of the node.`,
];
const gone = (version: string): Refusal => [
  `was removed in Kubernetes ${version}, so kubelet does not start with it`,
  "Leave it out.",
];

/**
 * Arguments that the node's settings must not contain: those that components/windows/steps/lib/KubeletService.ps1 sets,
 * and at the end those that Kubernetes removed, by its change logs.
 */
const refusedArguments: ReadonlyMap<string, Refusal> = new Map([
  ["hostname-override", owned("is the node's name: `name`")],
  ["node-ip", setting("nodeIp", "its address")],
  ["node-labels", setting("labels", "its labels")],
  ["register-with-taints", setting("taints", "its taints")],
  ["windows-service", owned("makes kubelet a Windows service, and is set already")],
  ["config", owned("names the configuration that kubeadm writes and reset removes")],
  ["config-dir", owned("would put a second configuration over the one that kubeadm writes")],
  ["kubeconfig", owned("names the credentials that the join makes and reset removes")],
  ["bootstrap-kubeconfig", owned("names the credentials that the join makes and removes")],
  ["cert-dir", owned("names the folder of the node's keys, which only administrators may read")],
  ["root-dir", owned("would move the folder that join and reset work on")],
  ["container-runtime-endpoint", owned("names containerd's pipe, as it is installed here")],
  ["cgroups-per-qos", owned("must be false on Windows, and is set already")],
  ["enforce-node-allocatable", owned("must be empty on Windows, and is set already")],
  ["resolv-conf", owned("must be empty on Windows, and is set already")],
  ["enable-debugging-handlers", owned("is set already: `kubectl logs` and `exec` need it")],
  ["register-node", owned("decides whether kubelet creates a Node, which kindows waits for")],
  ["register-schedulable", owned("is deprecated: use a taint for a node that takes no pods")],
  ["port", owned("is the port that the firewall is opened for, 10250")],
  ["log-file", owned("is not needed: kube-log-runner writes and rotates kubelet's log")],
  ["help", owned("makes kubelet print its help and end")],
  ["version", owned("makes kubelet print its version and end")],
  ["pod-infra-container-image", gone("1.34")],
  ["container-runtime", gone("1.27")],
  ["network-plugin", gone("1.24")],
  ["cni-bin-dir", gone("1.24")],
  ["cni-conf-dir", gone("1.24")],
  ["image-pull-progress-deadline", gone("1.24")],
]);

function kubeletArgumentName(name: string): Complaint | undefined {
  if (name.startsWith("-")) {
    return {
      why: "has dashes before its name",
      instead: `Write ${name.replace(/^-+/, "")}.`,
    };
  }
  if (!/^[a-z][-a-z0-9]*$/.test(name)) {
    return {
      why: "is not the name of a kubelet argument",
      instead: "Write it as in `kubelet --help`, without the leading dashes, e.g. max-pods.",
    };
  }
  const [why, instead] = refusedArguments.get(name) ?? [];
  return why !== undefined && instead !== undefined ? { why, instead } : undefined;
}

interface NodesSection {
  readonly nodes: readonly { readonly taints: readonly z.output<typeof taint>[] }[];
}

/** Kubernetes identifies taints by key and effect, so a node can't have two with the same key and effect. */
export const nodeTaints: Check<NodesSection> = {
  run: ({ nodes }) =>
    nodes.flatMap(({ taints }, node) =>
      repeated(taints, ({ key, effect }) => `${key}:${effect}`).map(
        ({ index, entry: { key, effect } }) => ({
          path: ["nodes", node, "taints", index],
          value: `${key}:${effect}`,
          why: "is listed twice",
          instead: "Remove one of them.",
        }),
      ),
    ),
};
