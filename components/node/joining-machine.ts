import type * as pulumi from "@pulumi/pulumi";
import type { ControlPlane } from "../controlplane/control-plane.ts";
import type { Machine } from "../machine/machine.ts";
import type { Taint } from "./node-registration.ts";

/** A machine that becomes a node, whatever runs on it. */
export interface JoiningMachine {
  /** The machine, or what will be one once it has booted. */
  readonly machine: Machine;
  /** The cluster to join. */
  readonly controlPlane: ControlPlane;
  /** For `dependsOn`: with it, nodes get a network for their pods; only then is waited for Ready. Default: not waited for. */
  readonly podNetwork?: pulumi.Resource;
  /** Bootstrap token `<id>.<secret>`, valid until the join has ended, then removed from the cluster; secret. */
  readonly token: pulumi.Output<string>;
  /** Labels the node registers with; those below kubernetes.io must be ones a kubelet may set. Changed ones are set on it. Default: none. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Taints that the node registers with; changes are set on the Node. Default: none. */
  readonly taints?: readonly Taint[];
  /**
   * Arguments of kubelet in addition, by name without dashes; those it is given anyway are not for here. Changed ones
   * restart it. Default: none.
   */
  readonly kubeletArgs?: Readonly<Record<string, string>>;
  /** IPv4 address the node registers with; the machine must have it. Default: the machine's address. */
  readonly nodeIp?: string;
}
