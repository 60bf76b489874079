export type Repair =
  /** Renews those of the control plane in all its containers, and of the lab's kubeconfig. */
  | { readonly kind: "renew-certificates"; readonly containers: readonly string[] }
  | { readonly kind: "renew-kubelet-certificate" | "restart-kubelet"; readonly container: string }
  | { readonly kind: "run-join"; readonly node: string };

/** What each kind of finding is about, for people; `subject` is the name of a node, machine, container or object. */
const names = {
  "api-server-silent": () => "API server",
  "api-server-unreadable": () => "API server",
  "node-missing": (subject) => `node ${subject}`,
  "node-not-ready": (subject) => `node ${subject}`,
  "node-silent": (subject) => `node ${subject}`,
  "node-pressure": (subject) => `node ${subject}`,
  "node-cordoned": (subject) => `cordoned node ${subject}`,
  "pod-not-ready": (subject) => `pod ${subject}`,
  "machine-silent": (subject) => `machine ${subject}`,
  "machine-gone": (subject) => `machine of ${subject}`,
  "clock-wrong": (subject) => `clock of ${subject}`,
  "host-clock-behind": () => "clock of this host",
  "join-unfinished": (subject) => `join of ${subject}`,
  "kubeconfig-expires": () => "kubeconfig of the stack",
  "certificates-expire": (subject) => `certificates of ${subject}`,
  "certificates-unreadable": (subject) => `certificates of ${subject}`,
  "kubelet-certificate-expires": (subject) => `certificate of kubelet in ${subject}`,
  "authorities-expire": (subject) => `certificate authorities of ${subject}`,
  "left-over": (subject) => subject,
} as const satisfies Record<string, (subject: string) => string>;

export type FindingKind = keyof typeof names;

export interface Finding {
  readonly kind: FindingKind;
  /** Name of the node, machine, container or object; empty if there is only one. */
  readonly subject: string;
  readonly seen: string;
  readonly remedy: string;
  readonly repair?: Repair | undefined;
}

/** What a finding is about, e.g. `clock of win-1`. */
export function nameOf({ kind, subject }: Pick<Finding, "kind" | "subject">): string {
  return names[kind](subject);
}

export function repairText(repair: Repair): string {
  switch (repair.kind) {
    case "renew-certificates":
      return `renew the certificates of the control plane in ${repair.containers.join(", ")}, restart it, and put the new kubeconfig into the stack's state and files`;
    case "renew-kubelet-certificate":
      return `give kubelet in ${repair.container} a new certificate, and restart it`;
    case "restart-kubelet":
      return `restart kubelet in ${repair.container}`;
    case "run-join":
      return `stop kubelet on ${repair.node} and run Join-Node there again, which sets the clock by the control plane's and starts kubelet`;
  }
}
