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
  "can't stand in the command line of a Windows service",
  "Write it without blanks, double quotes, % and characters beyond ASCII.",
);

const taint = z
  .strictObject({
    key: text(qualifiedName).meta({ description: "Taint key." }),
    value: text(labelValue).default("").meta({ description: "Taint value." }),
    effect: z
      .enum(["NoSchedule", "PreferNoSchedule", "NoExecute"])
      .meta({ description: "What it does to pods that don't tolerate it." }),
  })
  .meta({
    placeholder: (place: number) => ({ key: unnamed(place), effect: "NoSchedule" }),
  });

export const registration = {
  labels: z
    .record(text(labelKey), text(labelValue))
    .default({})
    .meta({ description: "Labels that the node registers with; changes are set on the Node." }),
  taints: z
    .array(taint)
    .default([])
    .meta({ description: "Taints that the node registers with; changes are set on the Node." }),
  kubeletArgs: z.record(text(kubeletArgumentName), text(kubeletArgumentValue)).default({}).meta({
    description:
      'Additional kubelet arguments, by name without dashes, e.g. `max-pods: "60"`. Those that kindows sets are refused.',
  }),
};

const prefixPart = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;
const maxPrefixLength = 253;

/** What a kubelet may set below kubernetes.io and k8s.io (1.36, pkg/kubelet/apis/well_known_labels.go). */
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
      instead: `Write a prefix as example.com/${last}.`,
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
      why: "is reserved: a kubelet refuses to start with it, so that a node can't promote itself",
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
  `was removed in Kubernetes ${version}: kubelet does not start with it`,
  "Leave it out.",
];

/** Sources: components/windows/steps/lib/KubeletService.ps1 for the first; Kubernetes' change logs for the last. */
const refusedArguments: ReadonlyMap<string, Refusal> = new Map([
  ["hostname-override", owned("is the node's name: `name`")],
  ["node-ip", setting("nodeIp", "its address")],
  ["node-labels", setting("labels", "its labels")],
  ["register-with-taints", setting("taints", "its taints")],
  ["windows-service", owned("makes kubelet a Windows service, and is given already")],
  ["config", owned("names the configuration that kubeadm writes and reset removes")],
  ["config-dir", owned("would put a second configuration over the one that kubeadm writes")],
  ["kubeconfig", owned("names the credentials that the join makes and reset removes")],
  ["bootstrap-kubeconfig", owned("names the credentials that the join makes and removes")],
  ["cert-dir", owned("names the folder of the node's keys, which only administrators may read")],
  ["root-dir", owned("would move the folder that join and reset work on")],
  ["container-runtime-endpoint", owned("names containerd's pipe, as it is installed here")],
  ["cgroups-per-qos", owned("must be false on Windows, and is given already")],
  ["enforce-node-allocatable", owned("must be empty on Windows, and is given already")],
  ["resolv-conf", owned("must be empty on Windows, and is given already")],
  ["enable-debugging-handlers", owned("is given already: `kubectl logs` and `exec` need it")],
  ["register-node", owned("decides whether there is a Node, which is waited for")],
  ["register-schedulable", owned("is deprecated: a taint makes a node that takes no pods")],
  ["port", owned("is the port the firewall is opened for, 10250")],
  ["log-file", owned("is kube-log-runner's business, which writes and rotates kubelet's log")],
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
      why: "is not the name of an argument of kubelet",
      instead: "Write it as in `kubelet --help` without dashes before it, e.g. max-pods.",
    };
  }
  const [why, instead] = refusedArguments.get(name) ?? [];
  return why !== undefined && instead !== undefined ? { why, instead } : undefined;
}

interface NodesSection {
  readonly nodes: readonly { readonly taints: readonly z.output<typeof taint>[] }[];
}

/** Kubernetes identifies taints by key and effect; a node cannot have one twice. */
export const nodeTaints: Check<NodesSection> = {
  run: ({ nodes }) =>
    nodes.flatMap(({ taints }, node) =>
      repeated(taints, ({ key, effect }) => `${key}:${effect}`).map(
        ({ index, entry: { key, effect } }) => ({
          path: ["nodes", node, "taints", index],
          value: `${key}:${effect}`,
          why: "is there twice",
          instead: "Leave one of them out.",
        }),
      ),
    ),
};
