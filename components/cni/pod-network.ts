import type * as pulumi from "@pulumi/pulumi";
import type * as z from "zod";
import type { WrittenExisting } from "../../config/existing.ts";
import type { HostProblem } from "../../config/host-problem.ts";
import type { Check } from "../../config/problem.ts";
import type { NamedSettings, Settings } from "../../config/settings.ts";
import type { ControlPlane } from "../controlplane/control-plane.ts";
import type { ClusterAnswers } from "../controlplane/existing/cluster-answers.ts";
import { type Right, rightsTo, written } from "../controlplane/existing/rights.ts";
import type { NodeStep } from "../windows/node-step.ts";

/** What kube-proxy on Windows waits for on its node. */
export interface HnsNetwork {
  /** Name of the pods' HNS network. */
  readonly name: string;
  /**
   * Name of the HNS endpoint whose address kube-proxy uses on an overlay network; undefined if there is none, and kube-proxy
   * reserves an address of the pods' range.
   */
  readonly endpoint: string | undefined;
}

/** A cluster's pod network, whatever its kind. */
export interface PodNetwork {
  /** For `dependsOn`: pods of Linux nodes have a network, and Windows nodes get theirs when they join. */
  readonly resource: pulumi.Resource;
  /** The network on Windows nodes; undefined if their pods have none. */
  readonly windows: HnsNetwork | undefined;
  /** Waits for the network on Windows nodes once they have joined; undefined if there is nothing to wait for. */
  awaitOnWindows?(nodes: readonly pulumi.Resource[]): void;
}

/**
 * A pod network on a Windows node, by the settings or as it was found in a cluster: its kind, and values for its steps, which
 * depend on the kind; `none` if its pods have no network.
 */
export interface WindowsPodNetwork {
  readonly kind: string;
}

/** Steps that a pod network adds for Windows nodes that have it. */
export interface PodNetworkSteps {
  /** After all programs are on the machine. */
  readonly beforeJoin: readonly NodeStep[];
  /** Before waiting for the node to become Ready. */
  readonly afterJoin: readonly NodeStep[];
}

export interface PublishedProgram {
  /** Name of its file, with VERSION for the version. */
  readonly file: string;
  /** https URL at its publisher. */
  readonly uri: string;
  /** https URL of the publisher's checksum. */
  readonly checksumUri: string;
}

/** Definition of a pod network; only its components need Pulumi. */
export interface PodNetworkDefinition<
  Own = z.ZodType | undefined,
  Programs extends string = string,
> {
  /** Its name for people. */
  readonly title: string;
  /** Its description in docs/settings.md. */
  readonly choice: string;
  /** Its own settings, below `kindows:cni` under its name, if any. */
  readonly settings: Own;
  /** Rules across sections if it is chosen. */
  readonly checks: readonly Check<NamedSettings>[];
  /** What makes Linux nodes Ready: kind, which includes it; its component, which waits for them; or its pods, later. */
  readonly linuxNodes: "kind" | "awaited" | "in time";
  /** What Windows pods lack with it, as the rest of a sentence that begins with a row of `verify`. */
  readonly lackingOnWindows: {
    readonly noWindowsPodNetwork?: string;
    readonly noWindowsHostPorts?: string;
  };
  /** Programs on its Windows nodes, by unique names. */
  readonly programs: Readonly<Record<Programs, PublishedProgram>>;
  /** Container images of its Windows nodes, and their version, if any. */
  windowsImages?(cni: Settings["cni"]): {
    readonly names: readonly string[];
    readonly version: string;
  };
  /** The network on the Windows nodes of a lab. */
  onWindows(settings: PodNetworkSettings): WindowsPodNetwork;
  readonly nodeSteps: PodNetworkSteps;
  /** Its part for existing clusters; undefined if machines cannot join those that have it. */
  readonly existing?: PodNetworkInExisting;
  /** Its Pulumi components. */
  components(): Promise<PodNetworkComponents>;
}

export type PodNetworkSettings = Pick<
  Settings,
  "cni" | "cluster" | "network" | "nodes" | "windows"
>;

export interface PodNetworkComponents {
  /** Installs it into a cluster that was created for it. */
  install(this: void, controlPlane: ControlPlane, settings: PodNetworkSettings): PodNetwork;
  /** Adds what an existing cluster lacks for Windows nodes, if allowed. @returns what pods there wait for */
  complete?(
    this: void,
    parent: pulumi.Resource,
    name: string,
    controlPlane: ControlPlane,
    network: WindowsPodNetwork,
  ): pulumi.Resource;
}

export type WantedPodNetwork = Pick<WrittenExisting["cni"], "kind" | "mayChange" | "nodeCidr"> &
  Partial<Pick<WrittenExisting["cni"], "hybridOverlay">>;

/** Programs that settings name, by the names of what pod networks install. */
export type NamedPrograms = Readonly<
  Record<string, PublishedProgram & { readonly sha256: string }>
>;

/** Rights to give Windows nodes access (windows-access.ts). */
export function accessRights(purpose: string): readonly Right[] {
  const group = "rbac.authorization.k8s.io";
  return ["clusterroles", "clusterrolebindings"].flatMap((resource) =>
    rightsTo(written, group, resource, purpose),
  );
}

/** Definition of a pod network in existing clusters. */
export interface PodNetworkInExisting {
  /** How it has to be installed, for people. */
  readonly installedAs: string;
  /** GET requests to a cluster for it, by the names of the answers. */
  readonly questions: Readonly<Record<string, string>>;
  /** Further rights that its Windows nodes need. */
  readonly rights: readonly Right[];
  readonly checks: readonly Check<WrittenExisting>[];
  /** Placeholder in a preview that contacts no cluster. */
  readonly assumed: WindowsPodNetwork;
  /** Programs that the settings name, with their checksums. */
  programs?(settings: WrittenExisting["cni"]): NamedPrograms;
  /** Checks whether Windows nodes can use it; undefined if the cluster does not have it. */
  check(
    answers: ClusterAnswers,
    wanted: WantedPodNetwork,
    cluster: { readonly serviceCidr: string; readonly endpoint: string },
  ): { readonly network: WindowsPodNetwork; readonly problems: readonly HostProblem[] } | undefined;
  hnsNetwork(network: WindowsPodNetwork): HnsNetwork;
}
