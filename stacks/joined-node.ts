import type * as pulumi from "@pulumi/pulumi";
import { BootstrapToken } from "../components/controlplane/bootstrap-token.ts";
import { LinuxNode, type LinuxNodeArgs } from "../components/linux/linux-node.ts";
import type { Machine } from "../components/machine/machine.ts";
import type { JoinedToCluster } from "../components/node/daemon-set-on-nodes.ts";
import type { JoiningMachine } from "../components/node/joining-machine.ts";
import { WindowsNode, type WindowsNodeArgs } from "../components/windows/windows-node.ts";
import { type LabImages, linuxPrograms } from "./lab-images.ts";

export type NodePrograms = Pick<WindowsNodeArgs, "software" | "requirements">;

export interface JoinedCluster extends Pick<
  JoiningMachine,
  "controlPlane" | "podNetwork" | "awaitsReady"
> {
  /** The component whose children the nodes are. */
  readonly parent: pulumi.Resource;
  readonly tokenTtlMinutes: number;
}

export interface StackMachine {
  readonly node: { readonly name: string } & Pick<JoiningMachine, "nodeIp"> &
    Required<Pick<JoiningMachine, "labels" | "taints" | "kubeletArgs">>;
  readonly machine: Machine;
  readonly sshUser: string;
  /** How else to log in than to machines that are made, which take the stack's own key on port 22. */
  readonly ssh?: { readonly sshPort: number; readonly sshKeyFile?: string | undefined };
}

interface ReportedNode extends Pick<Machine, "name" | "os" | "address" | "hostKey"> {
  readonly sshUser: string;
  readonly sshPort?: number;
  readonly sshKeyFile?: string | undefined;
  readonly nodeName: pulumi.Output<string>;
}

interface JoinedNode {
  /** For `dependsOn`: the node is in the cluster, Ready or not. */
  readonly registered: pulumi.Resource;
  readonly report: ReportedNode;
}

export type JoinedWindows = JoinedNode & JoinedToCluster;

/** Joins a Windows machine to the stack's cluster. */
export function joinedWindows(
  machine: StackMachine,
  cluster: JoinedCluster,
  windows: NodePrograms & Pick<WindowsNodeArgs, "setup" | "routes" | "registry">,
): JoinedWindows {
  const args = { ...joining(machine, cluster), ...windows };
  const node = new WindowsNode(machine.node.name, args, { parent: cluster.parent });
  return { ...joined(machine, node), name: machine.machine.name, joinId: node.joinId };
}

/** Joins a Linux machine to the stack's cluster. */
export function joinedLinux(
  machine: StackMachine,
  cluster: JoinedCluster,
  images: LabImages,
  more: Pick<LinuxNodeArgs, "imageArchives" | "certificates" | "registry">,
): JoinedNode {
  const args = { ...joining(machine, cluster), programs: linuxPrograms(images), ...more };
  return joined(machine, new LinuxNode(machine.node.name, args, { parent: cluster.parent }));
}

/** Arguments for the node of a machine, with a token that is created for it. */
function joining(
  { node: { name, labels, taints, kubeletArgs, nodeIp }, machine }: StackMachine,
  { controlPlane, podNetwork, awaitsReady = true, tokenTtlMinutes: ttlMinutes }: JoinedCluster,
): JoiningMachine {
  const { token } = new BootstrapToken(`${name}-token`, { controlPlane, machine, ttlMinutes });
  const registration = { labels, taints, kubeletArgs, ...(nodeIp !== undefined && { nodeIp }) };
  return { machine, controlPlane, podNetwork, awaitsReady, token, ...registration };
}

function joined(
  { machine: { name, os, address, hostKey }, sshUser, ssh }: StackMachine,
  { registered, nodeName }: WindowsNode | LinuxNode,
): JoinedNode {
  return { registered, report: { name, os, address, hostKey, sshUser, ...ssh, nodeName } };
}
