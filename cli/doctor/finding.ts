/** What `--fix` does about a finding. */
export type Repair =
  /** Certificates of the control plane, in all its containers, and what `kindows` itself logs in with. */
  | { readonly kind: "renew-certificates"; readonly containers: readonly string[] }
  /** The certificate by which the kubelet in a container is known to the API server. */
  | { readonly kind: "renew-kubelet-certificate"; readonly container: string }
  | { readonly kind: "restart-kubelet"; readonly container: string }
  /** kubelet stopped, and the last step of the join run again: that sets the clock by the API server's and starts it. */
  | { readonly kind: "run-join"; readonly node: string };

/** Something that is wrong in a lab whose machines and containers run. */
export interface Finding {
  /** What it is about, e.g. `clock of win-1`. */
  readonly name: string;
  /** What was seen there. */
  readonly seen: string;
  /** What a person can do. */
  readonly remedy: string;
  /** What `--fix` does; nothing where it leaves it to a person. */
  readonly repair?: Repair;
}

/** A repair in words, as it is told before it is done. */
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
