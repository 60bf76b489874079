import type { Complaint } from "../problem.ts";

const reference = /^[a-z0-9]+([._/:-][A-Za-z0-9]+)*(:[\w][\w.-]{0,127})?(@sha256:[a-f0-9]{64})?$/;

/** An image of kube-proxy for Windows that is the same one tomorrow, as far as its tag says. */
export function kubeProxyImage(value: string): Complaint | undefined {
  if (!reference.test(value)) {
    return {
      why: "is not an image reference",
      instead:
        "Write NAME:TAG or NAME@sha256:DIGEST, e.g. registry.example.com/kube-proxy:v1.36.4.",
    };
  }
  const tag = /:([^/@:]+)(@|$)/.exec(value)?.[1];
  return value.includes("@sha256:") || (tag !== undefined && tag !== "latest")
    ? undefined
    : {
        why: "has no tag of its own, so nodes would run whatever is the latest when they pull it",
        instead: `Write ${value.replace(/:latest$/, "")}:TAG with the tag of the cluster's Kubernetes version.`,
      };
}
