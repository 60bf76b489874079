export type Repair =
  /** Renews those of the control plane in all its containers, and of the lab's kubeconfig. */
  | { readonly kind: "renew-certificates"; readonly containers: readonly string[] }
  | { readonly kind: "renew-kubelet-certificate" | "restart-kubelet"; readonly container: string }
  | { readonly kind: "run-join"; readonly node: string };

export interface Finding {
  /** Its subject, e.g. `clock of win-1`. */
  readonly name: string;
  readonly seen: string;
  readonly remedy: string;
  readonly repair?: Repair | undefined;
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
