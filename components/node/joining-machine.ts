import * as pulumi from "@pulumi/pulumi";
import type { ControlPlane } from "../controlplane/control-plane.ts";
import type { Machine } from "../machine/machine.ts";
import type { Taint } from "./node-registration.ts";

/** Arguments for joining a machine of any operating system to a cluster. */
export interface JoiningMachine {
  /** The machine, which may still be booting. */
  readonly machine: Machine;
  /** The cluster to join. */
  readonly controlPlane: ControlPlane;
  /** The pod network, without which the node does not become Ready. Default: the node does not wait for any. */
  readonly podNetwork?: pulumi.Resource;
  /** Whether the component waits until the node is Ready. Default: true. */
  readonly awaitsReady?: boolean;
  /** Bootstrap token `<id>.<secret>`, deleted from the cluster after the join; secret. */
  readonly token: pulumi.Output<string>;
  /**
   * Labels of the node. Labels in the kubernetes.io domain must be ones that a kubelet may set. Changes are applied to
   * the Node. Default: none.
   */
  readonly labels?: Readonly<Record<string, string>>;
  /** Taints of the node. Changes are applied to the Node. Default: none. */
  readonly taints?: readonly Taint[];
  /**
   * Additional kubelet arguments, by name without dashes, other than those that kindows sets itself. Changes restart
   * kubelet. Default: none.
   */
  readonly kubeletArgs?: Readonly<Record<string, string>>;
  /** IPv4 address that the node registers with. The machine must have it. Default: the machine's address. */
  readonly nodeIp?: string;
}

/** The same with defaults filled in. */
export interface Joining extends Required<
  Omit<JoiningMachine, "podNetwork" | "awaitsReady" | "nodeIp">
> {
  readonly nodeIp: pulumi.Output<string>;
}

export function withDefaults(args: JoiningMachine): Joining {
  const { machine, controlPlane, token, labels = {}, taints = [], kubeletArgs = {} } = args;
  const nodeIp = pulumi.output(args.nodeIp ?? machine.address);
  return { machine, controlPlane, token, labels, taints, kubeletArgs, nodeIp };
}
