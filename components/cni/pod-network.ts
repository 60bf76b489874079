import type * as pulumi from "@pulumi/pulumi";

/** What kube-proxy on Windows has to find on its node before it starts. */
export interface HnsNetwork {
  /** Name of the pods' HNS network. */
  readonly name: string;
  /**
   * Name of the HNS endpoint whose address kube-proxy takes as its own, where the network is an overlay; undefined: there
   * is none, and it has an address reserved among the pods' own.
   */
  readonly endpoint: string | undefined;
}

/** A cluster's network of pods, as the program sees it whoever makes it. */
export interface PodNetwork {
  /** For `dependsOn`: pods of Linux nodes have a network, and Windows nodes get theirs as they come. */
  readonly resource: pulumi.Resource;
  /** What there is on Windows nodes; undefined where their pods have no network. */
  readonly windows: HnsNetwork | undefined;
  /** Waits for the network on Windows nodes once they have joined; nothing where there is none to wait for. */
  awaitOnWindows(nodes: readonly pulumi.Resource[]): void;
}
