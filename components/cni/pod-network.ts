import type * as pulumi from "@pulumi/pulumi";
import type * as z from "zod";
import type { HostProblem } from "../../config/host-problem.ts";
import type { Check } from "../../config/problem.ts";
import type { NamedFile } from "../../config/named-file.ts";
import type { DaemonSetName } from "../../host/kubernetes/daemon-set.ts";
import type { ControlPlane } from "../controlplane/control-plane.ts";
import type { ApiServerAddress } from "../controlplane/existing/api-server-address.ts";
import type { ClusterAnswers } from "../controlplane/existing/cluster-answers.ts";
import { type Right, rightsTo, managed } from "../controlplane/existing/rights.ts";
import type { JoinedToCluster } from "../node/daemon-set-on-nodes.ts";
import type { NodeStep } from "../windows/node-step.ts";
import type { PublishedProgram } from "./published-program.ts";
import type { WindowsPodNetwork } from "./windows-pod-network.ts";
import { type ImageChoice } from "../../config/image-sources.ts";

/** The HNS network that kube-proxy on Windows waits for on its node. */
export interface HnsNetwork {
  /** Name of the pods' HNS network. */
  readonly name: string;
  /**
   * Name of the HNS endpoint whose address kube-proxy uses as its source on an overlay network. Undefined if the
   * network has none; the start script then reserves an address of the pods' range.
   */
  readonly endpoint: string | undefined;
}

/** A cluster's pod network. */
export interface PodNetwork {
  /** For `dependsOn`: pods of Linux nodes have a network, and Windows nodes get theirs when they join. */
  readonly resource: pulumi.Resource;
  /** The network on Windows nodes; undefined if their pods have none. */
  readonly windows: HnsNetwork | undefined;
  /** Waits for the network on Windows nodes once they have joined; undefined if there is nothing to wait for. */
  awaitOnWindows?(nodes: readonly JoinedToCluster[]): void;
}

/** Steps that a pod network adds to those of its Windows nodes. */
export interface PodNetworkSteps {
  /** After all programs are on the machine. */
  readonly beforeJoin: readonly NodeStep[];
  /** Before waiting for the node to become Ready. */
  readonly afterJoin: readonly NodeStep[];
}

/**
 * Definition of a pod network. Only its components import Pulumi.
 *
 * `Section` is what it reads of `kindows:cni`, besides the kind.
 */
export interface PodNetworkDefinition<
  Own = z.ZodType | undefined,
  Programs extends string = string,
  Section = unknown,
> {
  /** Display name. */
  readonly title: string;
  /** Its description in docs/settings.md. */
  readonly choice: string;
  /** Schema of its settings below `kindows:cni.<name>`, if it has any. */
  readonly settings: Own;
  /** Rules across sections if it is chosen. */
  readonly checks: readonly Check<CheckedPodNetwork<Section>>[];
  /**
   * How Linux nodes become Ready. `kind`: the network is part of kind's node image. `awaited`: its component waits for
   * them. `in time`: its pods make them Ready, and nothing of the component waits for that. `yours`: the user makes them
   * Ready, and nothing waits for that.
   */
  readonly linuxNodes: "kind" | "awaited" | "in time" | "yours";
  /** What Windows pods lack, as the rest of a sentence that starts with a row of `verify`. */
  lackingOnWindows(cni: Section): {
    readonly noWindowsPodNetwork?: string;
    readonly noWindowsHostPorts?: string;
    readonly noWindowsPodToHost?: string;
  };
  /**
   * Annotation that its own program writes to a Windows node once the pods' network is there. A rehearsed node that has it runs
   * the program. Default: none of its programs runs on rehearsed nodes.
   */
  readonly windowsAnnotation?: string;
  /** Programs on its Windows nodes, by names that are unique among all pod networks. */
  readonly programs: Readonly<Record<Programs, PublishedProgram>>;
  /** Container images of its Linux nodes, with registry and tag, if any are pulled. */
  linuxImages?(cni: Section): readonly string[];
  /** Container images of its Windows nodes, and their version, if any. */
  windowsImages?(cni: Section): {
    readonly names: readonly string[];
    readonly version: string;
  };
  /** The network on the Windows nodes of a lab. */
  onWindows(settings: PodNetworkSettings<Section>): WindowsPodNetwork;
  readonly nodeSteps: PodNetworkSteps;
  /** Its definition for existing clusters; undefined if machines cannot join clusters with this network. */
  readonly existing?: PodNetworkInExisting;
  /** Its Pulumi components. */
  components(): Promise<PodNetworkComponents<Section>>;
}

/** The settings that the checks of a pod network read. */
export interface CheckedPodNetwork<Section = unknown> {
  readonly cni: { readonly kind: string } & Section;
  readonly cluster: { readonly kubernetesVersion: string };
  readonly network: { readonly cidr: string; readonly mtu: number };
  readonly nodes: readonly { readonly os: string; readonly nodeIp?: string | undefined }[];
  readonly windows: { readonly version: string };
}

/** The settings that a pod network is made from. */
export interface PodNetworkSettings<Section = unknown> extends ImageChoice {
  readonly cni: Section;
  readonly network: { readonly cidr: string };
  /** Windows nodes on machines that are made, and on those that are there. */
  readonly nodes: readonly unknown[];
  readonly ownNodes: readonly unknown[];
}

/** Whether Windows machines join the cluster, made or there. */
export function joinsWindows({
  nodes,
  ownNodes,
}: {
  readonly [Key in "nodes" | "ownNodes"]: readonly unknown[];
}): boolean {
  return nodes.length + ownNodes.length > 0;
}

export interface PodNetworkComponents<Section = unknown> {
  /** Installs it into a cluster that was created for it. */
  install(
    this: void,
    controlPlane: ControlPlane,
    settings: PodNetworkSettings<Section>,
    opts: pulumi.ComponentResourceOptions,
  ): PodNetwork;
  /**
   * Adds what an existing cluster lacks for Windows nodes, if allowed.
   *
   * @returns the resource that Windows nodes wait for
   */
  complete?(
    this: void,
    parent: pulumi.Resource,
    name: string,
    controlPlane: ControlPlane,
    network: WindowsPodNetwork,
  ): pulumi.Resource;
}

/** `kindows:cni` of an existing cluster (config/existing.ts). */
interface ExistingPodNetwork {
  readonly kind: string;
  readonly mayChange: boolean;
  readonly nodeCidr?: string | undefined;
  readonly hybridOverlay: NamedFile;
}

export type WantedPodNetwork = Omit<ExistingPodNetwork, "hybridOverlay"> &
  Partial<ExistingPodNetwork>;

/** The settings that the checks of a pod network in an existing cluster read. */
export interface CheckedExisting {
  readonly cni: ExistingPodNetwork;
  readonly nodes: readonly { readonly address: string; readonly nodeIp?: string | undefined }[];
}

/** Programs that the settings locate themselves, by the same names as `PodNetworkDefinition.programs`. */
export type NamedPrograms = Readonly<
  Record<string, PublishedProgram & { readonly sha256: string }>
>;

/** Rights that are needed to grant Windows nodes access (windows-access.ts). */
export function accessRights(purpose: string): readonly Right[] {
  const group = "rbac.authorization.k8s.io";
  return ["clusterroles", "clusterrolebindings"].flatMap((resource) =>
    rightsTo(managed, group, resource, purpose),
  );
}

/** What a pod network in an existing cluster is checked against. */
export interface ClusterForNetwork {
  readonly serviceCidr: string;
  readonly apiServer: ApiServerAddress;
}

/** IPv4 ranges that a pod network gives pods their addresses from. */
export interface FoundPods {
  readonly ranges: readonly string[];
  /** Display name of the objects that say so. */
  readonly of: string;
}

/** Definition of a pod network in existing clusters. */
export interface PodNetworkInExisting {
  /** Display name, with how the network has to be installed. */
  readonly installedAs: string;
  /** Paths of GET requests that `check` needs, by the names of the answers. */
  readonly questions: Readonly<Record<string, string>>;
  /** Further rights that the kubeconfig's user needs for its Windows nodes. */
  readonly rights: readonly Right[];
  readonly checks: readonly Check<CheckedExisting>[];
  /** Placeholder for a preview that contacts no cluster. */
  readonly assumed: WindowsPodNetwork;
  /** Programs that the settings locate, with their checksums. */
  programs?(cni: ExistingPodNetwork): NamedPrograms;
  /** Checks whether Windows nodes can use the network; undefined if the cluster does not have it. */
  check(
    answers: ClusterAnswers,
    wanted: WantedPodNetwork,
    cluster: ClusterForNetwork,
  ):
    | {
        readonly network: WindowsPodNetwork;
        readonly problems: readonly HostProblem[];
        readonly warnings?: readonly string[];
        /** Undefined if they are what kubeadm says. */
        readonly pods?: FoundPods | undefined;
      }
    | undefined;
  hnsNetwork(network: WindowsPodNetwork): HnsNetwork;
  /** The DaemonSet that makes the network on Windows nodes; undefined if no pod does. */
  readonly windowsDaemonSet?: DaemonSetName;
}
