import type { Complaint } from "../problem.ts";

/** Why an argument is not for the settings, and what to do instead. */
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

/**
 * Arguments kubelet has from this program, or must not have.
 *
 * Sources: components/windows/steps/lib/KubeletService.ps1 for the first; Kubernetes' change logs for the last.
 */
const refused: ReadonlyMap<string, Refusal> = new Map([
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

/** Name of an argument of kubelet that the settings may give, without dashes. */
export function kubeletArgumentName(name: string): Complaint | undefined {
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
  const [why, instead] = refused.get(name) ?? [];
  return why !== undefined && instead !== undefined ? { why, instead } : undefined;
}

/** Value of an argument of kubelet: it becomes a part of a Windows service's command line. */
export function kubeletArgumentValue(value: string): Complaint | undefined {
  return /^[!#$&-~]*$/.test(value)
    ? undefined
    : {
        why: "can't stand in the command line of a Windows service",
        instead: "Write it without blanks, double quotes, % and characters beyond ASCII.",
      };
}
