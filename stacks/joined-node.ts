import type * as pulumi from "@pulumi/pulumi";
import type { HostRequirements } from "../components/windows/host-requirements.ts";
import type { WindowsSoftware } from "../components/windows/software.ts";
import { WindowsNode, type WindowsNodeArgs } from "../components/windows/windows-node.ts";
import { nodeToken, type TokenCluster } from "./node-token.ts";
import { type PinnedMachine, type ToldNode, toldNode } from "./told-node.ts";

/** What is put on the machines, and what they must have. */
export interface NodePrograms {
  readonly software: WindowsSoftware;
  readonly requirements: HostRequirements;
}

/** What all nodes of a stack have in common. */
export interface JoinedCluster
  extends TokenCluster, Pick<WindowsNodeArgs, "podNetwork" | "setup" | "routes"> {
  readonly programs: NodePrograms;
}

/** What the settings say of one node. */
type RegisteredNode = { readonly name: string } & Required<
  Pick<WindowsNodeArgs, "labels" | "taints" | "kubeletArgs" | "nodeIp">
>;

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
  const token = nodeToken(name, machine, { controlPlane, tokenTtlMinutes });
  const { software, requirements } = programs;
  const { registered, nodeName } = new WindowsNode(name, {
    ...{ machine, controlPlane, podNetwork, token, software, requirements, setup },
    ...{ labels, taints, kubeletArgs, nodeIp, routes },
  });
  return { registered, told: (sshUser) => toldNode(machine, nodeName, sshUser) };
}
