import type * as pulumi from "@pulumi/pulumi";
import { BootstrapToken } from "../components/controlplane/bootstrap-token.ts";
import type { ControlPlane } from "../components/controlplane/control-plane.ts";
import type { Machine } from "../components/machine/machine.ts";
import type { HostRequirements } from "../components/windows/host-requirements.ts";
import type { WindowsSoftware } from "../components/windows/software.ts";
import { WindowsNode, type WindowsNodeArgs } from "../components/windows/windows-node.ts";

/** What is put on the machines, and what they must have. */
export interface NodePrograms {
  readonly software: WindowsSoftware;
  readonly requirements: HostRequirements;
}

/** What all nodes of a stack have in common. */
export interface JoinedCluster extends Pick<WindowsNodeArgs, "podNetwork" | "setup" | "routes"> {
  readonly controlPlane: ControlPlane;
  readonly tokenTtlMinutes: number;
  readonly programs: NodePrograms;
}

/** What the settings say of one node. */
type RegisteredNode = { readonly name: string } & Required<
  Pick<WindowsNodeArgs, "labels" | "taints" | "kubeletArgs" | "nodeIp">
>;

/** A machine that can be told of, with the host key it shows. */
type PinnedMachine = Machine & { readonly hostKey: pulumi.Output<string> };

/** What a stack tells of a node. */
interface ToldNode extends Pick<PinnedMachine, "name" | "os" | "address" | "hostKey"> {
  readonly sshUser: string;
  readonly nodeName: pulumi.Output<string>;
}

/** A machine that has become a node of the stack's cluster. */
export interface JoinedNode {
  /** For `dependsOn`: the node is in the cluster, Ready or not. */
  readonly registered: pulumi.Resource;
  /** @param sshUser who logs in to the machine. */
  told(sshUser: string): ToldNode;
}

/** Joins a machine to the stack's cluster with a token of its own. */
export function joinedNode(
  { name, labels, taints, kubeletArgs, nodeIp }: RegisteredNode,
  machine: PinnedMachine,
  { controlPlane, podNetwork, tokenTtlMinutes, programs, setup, routes }: JoinedCluster,
): JoinedNode {
  const { token } = new BootstrapToken(name, {
    controlPlane,
    nodeName: name,
    instanceId: machine.instanceId,
    ttlMinutes: tokenTtlMinutes,
  });
  const { software, requirements } = programs;
  const { registered, nodeName } = new WindowsNode(name, {
    ...{ machine, controlPlane, podNetwork, token, software, requirements, setup },
    ...{ labels, taints, kubeletArgs, nodeIp, routes },
  });
  const { os, address, hostKey } = machine;
  return {
    registered,
    told: (sshUser) => ({ name: machine.name, os, address, hostKey, sshUser, nodeName }),
  };
}
