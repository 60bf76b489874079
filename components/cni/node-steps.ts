import type { NodeStep } from "../windows/node-step.ts";
import { calicoNodeSteps } from "./calico/node-steps.ts";
import { flannelNodeSteps, type FlannelOnWindows } from "./flannel/node-steps.ts";

/** What of a pod network there is on a Windows node; `none`: its pods have no network. */
export type WindowsPodNetwork =
  { readonly kind: "none" } | { readonly kind: "calico" } | FlannelOnWindows;

/** Steps that a pod network adds to a Windows node's way. Their values are undefined on nodes with another one. */
export interface PodNetworkSteps {
  /** On a machine that has all programs. */
  readonly beforeJoin: readonly NodeStep[];
  /** Before the node is waited for to become Ready. */
  readonly afterJoin: readonly NodeStep[];
}

const networks: readonly PodNetworkSteps[] = [calicoNodeSteps, flannelNodeSteps];

/** Those of all pod networks. */
export const podNetworkSteps: PodNetworkSteps = {
  beforeJoin: networks.flatMap(({ beforeJoin }) => beforeJoin),
  afterJoin: networks.flatMap(({ afterJoin }) => afterJoin),
};
