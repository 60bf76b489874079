import * as pulumi from "@pulumi/pulumi";
import type { ControlPlane } from "../controlplane/control-plane.ts";
import type { Machine } from "../machine/machine.ts";
import type { Taint } from "./node-registration.ts";

/** A machine that becomes a node, whatever its operating system. */
export interface JoiningMachine {
  /** The machine, which may still be booting. */
  readonly machine: Machine;
  /** The cluster to join. */
  readonly controlPlane: ControlPlane;
  /** For `dependsOn`: the pod network, needed to wait until the node is Ready. Default: no waiting. */
  readonly podNetwork?: pulumi.Resource;
  /** Bootstrap token `<id>.<secret>`, deleted from the cluster after the join; secret. */
  readonly token: pulumi.Output<string>;
  /** Labels the node registers with; those below kubernetes.io must be ones a kubelet may set. Changed ones are set on it. Default: none. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Taints that the node registers with; changes are set on the Node. Default: none. */
  readonly taints?: readonly Taint[];
  /**
   * Additional arguments of kubelet, by name without dashes, except for those it always gets. Changes restart it. Default:
   * none.
   */
  readonly kubeletArgs?: Readonly<Record<string, string>>;
  /** IPv4 address the node registers with; the machine must have it. Default: the machine's address. */
  readonly nodeIp?: string;
}

/** Such a machine with all that its steps need to know of it. */
export interface Joining extends Required<Omit<JoiningMachine, "podNetwork" | "nodeIp">> {
  readonly nodeIp: pulumi.Output<string>;
}

export function withDefaults(args: JoiningMachine): Joining {
  const { machine, controlPlane, token, labels = {}, taints = [], kubeletArgs = {} } = args;
  const nodeIp = pulumi.output(args.nodeIp ?? machine.address);
  return { machine, controlPlane, token, labels, taints, kubeletArgs, nodeIp };
}
