import * as pulumi from "@pulumi/pulumi";
import type { PodNetworkComponents } from "../components/cni/pod-network.ts";
import { inExisting } from "../components/cni/pod-networks.ts";
import type { ExistingNode } from "../components/machine/existing/settings.ts";
import type { ExistingSettings } from "../config/existing.ts";
import { usualDomain } from "../components/controlplane/existing/cluster-configuration.ts";
import { ExistingPodNetwork } from "../components/cni/existing-pod-network.ts";
import { ExistingControlPlane } from "../components/controlplane/existing/existing-control-plane.ts";
import type { ExaminedCluster } from "../components/controlplane/existing/examine-cluster.ts";
import { KubeProxyWindows } from "../components/kubeproxy/kube-proxy-windows.ts";
import type { MakeMachines } from "../components/machine/kubevirt/kubevirt-machines.ts";
import { ExistingMachine } from "../components/machine/existing/existing-machine.ts";
import type { ByBastions, SshAccess } from "../components/machine/ssh-access.ts";
import { machineReset } from "../components/windows/machine-reset.ts";
import { joinedWindows, type NodePrograms, type StackMachine } from "./joined-node.ts";
import { windowsSetup } from "./node-setup.ts";
import type { WindowsPodNetwork } from "../components/cni/windows-pod-network.ts";

/** How to log in to a machine: its own SSH server, and bastions before it. */
export interface MachineAccess extends ByBastions {
  readonly machine: SshAccess;
}

export type Login = Pick<
  ExistingNode["login"],
  "user" | "port" | "privateKeyFile" | "privateKey" | "privateKeyPassphrase" | "agent"
>;

/** How to log in to a machine, from its settings. */
export function machineAccess(
  { address, hostKey, login }: Pick<ExistingNode, "address" | "hostKey" | "login">,
  keysOf: KeysOf,
): MachineAccess {
  return { machine: { ...keysOf(login), host: address, hostKey }, ...byBastions(login, keysOf) };
}

type KeysOf = (login: Login) => Omit<SshAccess, "host" | "hostKey">;

/** The bastions of all machines with this login. */
export function byBastions(
  { bastions, forwardPort }: Pick<ExistingNode["login"], "bastions" | "forwardPort">,
  keysOf: KeysOf,
): ByBastions {
  const hops = bastions.map((bastion) => ({
    ...keysOf(bastion),
    host: bastion.address,
    hostKey: bastion.hostKey,
  }));
  return { hops, forwardPort };
}

/** What was found out about cluster and machines beforehand; undefined in a preview that contacts nobody. */
export interface Surroundings {
  readonly cluster: Pick<ExaminedCluster, "kubeconfig" | "facts"> | undefined;
  readonly access: (node: ExistingNode) => MachineAccess | undefined;
  readonly bastions?: ByBastions;
}

export interface ExistingClusterArgs extends Surroundings {
  /** The checked settings. */
  readonly settings: ExistingSettings;
  /** What is installed on the machines, and what they must have. */
  readonly programs: NodePrograms;
  /** The components of the cluster's pod network; undefined if its kind is not known. */
  readonly podNetwork: PodNetworkComponents | undefined;
  /** Makes the machines of `kindows:machine`; undefined if the stack makes none. */
  readonly makeMachines: MakeMachines | undefined;
}

/** Placeholders while the cluster's ranges are unknown: the usual values with kubeadm. */
const unknownRanges = { podCidr: "10.244.0.0/16", serviceCidr: "10.96.0.0/12" };

/**
 * Joins existing Windows machines, and machines that it creates, to an existing cluster. When the stack is destroyed,
 * the cluster stays, and existing machines are reset to what they were.
 *
 * ```ts
 * const stack = new ExistingCluster("cluster", await existingClusterArgs(settings));
 * ```
 */
export class ExistingCluster extends pulumi.ComponentResource {
  /** Private key for the machines that the stack creates, if any; secret. */
  readonly sshPrivateKey: pulumi.Output<string> | undefined;
  /** The API server's address. */
  readonly controlPlane: pulumi.Output<object>;
  /** The nodes: addresses, and how to log in. */
  readonly nodes: pulumi.Output<object[]>;

  constructor(name: string, args: ExistingClusterArgs, opts?: pulumi.ComponentResourceOptions) {
    super("kindows:stacks:ExistingCluster", name, {}, opts);
    const { settings, cluster, access, programs } = args;
    const { kubernetesVersion, hostsEntries, tokenTtlMinutes } = settings.cluster;
    const child = { parent: this };
    const created = args.makeMachines?.(this);
    const known = cluster?.facts ?? settings.cluster;
    const controlPlane = new ExistingControlPlane(
      "control-plane",
      {
        examined: cluster,
        kubernetesVersion,
        hostsEntries,
        podCidr: known.podCidr ?? unknownRanges.podCidr,
        serviceCidr: known.serviceCidr ?? unknownRanges.serviceCidr,
      },
      child,
    );
    const network = podNetworkOf(settings, cluster);
    const complete = args.podNetwork?.complete;
    const podNetwork = { controlPlane, network, complete };
    const pods = new ExistingPodNetwork("pod-network", podNetwork, child);
    const joinedCluster = {
      ...{ controlPlane, podNetwork: pods.resource, tokenTtlMinutes },
      parent: this,
    };
    const direct = cluster?.facts.direct ?? [
      `.${usualDomain}`,
      controlPlane.podCidr,
      controlPlane.serviceCidr,
    ];
    const setup = windowsSetup(settings, network, [...direct, ...reachedInside(settings)]);
    const onWindows = { ...programs, setup };

    const existing = settings.nodes.map((node) =>
      existingMachine(node, access(node), programs, this),
    );
    const sshUser = settings.login.user;
    const nodes = [
      ...existing,
      ...(created?.machines ?? []).map((each) => ({ ...each, sshUser })),
    ].map(({ node, ...machine }) => {
      const kubeletArgs = { ...cluster?.facts.kubeletArgs, ...node.kubeletArgs };
      return joinedWindows(
        { ...machine, node: { ...node, kubeletArgs } },
        ...([joinedCluster, onWindows] as const),
      );
    });

    pods.awaitOnWindows(nodes);
    if (cluster?.facts.kubeProxy !== "there") {
      new KubeProxyWindows(
        "kube-proxy-windows",
        {
          controlPlane,
          nodes,
          network: pods.windows,
          image: settings.windows.kubeProxyImage,
          pullSecrets: settings.windows.kubeProxyPullSecrets,
          server: cluster?.facts.kubeProxyServer,
        },
        child,
      );
    }
    this.sshPrivateKey = created?.sshPrivateKey;
    this.controlPlane = pulumi.output({
      endpoint: controlPlane.endpoint,
      hostsEntries: controlPlane.hostsEntries,
      kubernetesVersion,
      nodeNames: [],
    });
    this.nodes = pulumi.output(nodes.map(({ report }) => report));
    this.registerOutputs({});
  }
}

/** The cluster's pod network, or that of the settings if the cluster was not examined. */
export function podNetworkOf(
  settings: Pick<ExistingSettings, "cni">,
  cluster: Surroundings["cluster"],
): WindowsPodNetwork {
  return cluster?.facts.podNetwork ?? unknownNetwork(settings);
}

/**
 * A machine that is there, as a machine of the stack.
 *
 * @param login undefined in a preview that reads no keys.
 * @param parent the stack's component.
 */
export function existingMachine(
  node: ExistingNode,
  login: MachineAccess | undefined,
  { software }: Pick<NodePrograms, "software">,
  parent: pulumi.Resource,
): StackMachine & { readonly node: ExistingNode } {
  const { name, os, address, hostKey, mayRename } = node;
  const machine = new ExistingMachine(
    name,
    {
      computerName: name,
      mayRename,
      os,
      address,
      hostKey,
      access: login?.machine,
      bastions: login,
      reset: machineReset(software),
    },
    { parent },
  );
  return { node, machine, sshUser: node.login.user };
}

/**
 * The pod network if the cluster was not examined: that of the settings, or else the first one, which is the most
 * common.
 */
function unknownNetwork({ cni: { kind } }: Pick<ExistingSettings, "cni">): WindowsPodNetwork {
  if (kind === "none") return { kind };
  const [first] = inExisting.values();
  return (inExisting.get(kind) ?? first)?.assumed ?? { kind: "none" };
}

/** What the settings say about hosts that the machines reach without a proxy. */
function reachedInside({ cluster, cni, machine, nodes }: ExistingSettings): string[] {
  return [
    ...(cluster.endpoint === undefined ? [] : [cluster.endpoint.replace(/:\d+$/, "")]),
    ...cluster.hostsEntries.flatMap(({ name, address }) => [name, address]),
    ...nodes.map(({ address }) => address),
    // Machines that are created have an address in the settings, or else get one in the nodes' range, if that is set.
    ...(machine?.nodes ?? []).flatMap(({ address }) => address ?? []),
    ...(machine === undefined ? [] : (cni.nodeCidr ?? [])),
  ];
}
