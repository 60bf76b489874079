import type * as pulumi from "@pulumi/pulumi";
import type * as z from "zod";
import type { WrittenExisting } from "../../config/existing/settings.ts";
import type { Check } from "../../config/problem.ts";
import type { NamedSettings, Settings } from "../../config/settings.ts";
import type { ControlPlane } from "../controlplane/control-plane.ts";
import type { ClusterAnswers } from "../controlplane/existing/cluster-answers.ts";
import type { ClusterProblem } from "../controlplane/existing/cluster-problem.ts";
import type { Right } from "../controlplane/existing/rights.ts";
import type { NodeStep } from "../windows/node-step.ts";

/** What kube-proxy on Windows has to find on its node before it starts. */
export interface HnsNetwork {
  /** Name of the pods' HNS network. */
  readonly name: string;
  /**
   * Name of the HNS endpoint whose address kube-proxy takes as its own, where the network is an overlay; undefined: there
   * is none, and it has an address reserved among the pods' own.
   */
  readonly endpoint: string | undefined;
}

/** A cluster's network of pods, as the program sees it whoever makes it. */
export interface PodNetwork {
  /** For `dependsOn`: pods of Linux nodes have a network, and Windows nodes get theirs as they come. */
  readonly resource: pulumi.Resource;
  /** What there is on Windows nodes; undefined where their pods have no network. */
  readonly windows: HnsNetwork | undefined;
  /** Waits for the network on Windows nodes once they have joined; nothing where there is none to wait for. */
  awaitOnWindows(nodes: readonly pulumi.Resource[]): void;
}

/** What of a pod network there is on a Windows node: its name, and what its own steps want; `none`: its pods have no network. */
export interface WindowsPodNetwork {
  readonly kind: string;
}

/** Steps that a pod network adds to a Windows node's way. Their values are undefined on nodes with another one. */
export interface PodNetworkSteps {
  /** On a machine that has all programs. */
  readonly beforeJoin: readonly NodeStep[];
  /** Before the node is waited for to become Ready. */
  readonly afterJoin: readonly NodeStep[];
}

/** A program that a pod network has installed on Windows nodes. */
export interface PublishedProgram {
  /** Name of its file, with VERSION for the version. */
  readonly file: string;
  /** https address at its publisher. */
  readonly uri: string;
  /** https address of the checksum its publisher gives. */
  readonly checksumUri: string;
}

/** All that the program knows of a pod network; the settings' and the commands' part of it needs no Pulumi. */
export interface PodNetworkDefinition<
  Own = z.ZodType | undefined,
  Programs extends string = string,
> {
  /** As people call it. */
  readonly title: string;
  /** What docs/settings.md says of it where it is a choice. */
  readonly choice: string;
  /** Settings of its own, below `kindows:cni` under its name; undefined: it has none. */
  readonly settings: Own;
  /** What has to fit together where it is chosen, besides each setting for itself. */
  readonly checks: readonly Check<NamedSettings>[];
  /** Who makes Linux nodes Ready: kind, which brings it along; its component, which waits for them; or its pods, in time. */
  readonly linuxNodes: "kind" | "awaited" | "in time";
  /** What Windows pods lack with it, as the rest of a sentence that starts with a row of `verify`. */
  readonly lackingOnWindows: {
    readonly noWindowsPodNetwork?: string;
    readonly noWindowsHostPorts?: string;
  };
  /** Programs that are installed on its Windows nodes, by names that no other program has. */
  readonly programs: Readonly<Record<Programs, PublishedProgram>>;
  /** Container images that its Windows nodes start with, and their version; without: it runs from none. */
  windowsImages?(cni: Settings["cni"]): {
    readonly names: readonly string[];
    readonly version: string;
  };
  /** What of it there is on the Windows nodes of a lab. */
  onWindows(settings: PodNetworkSettings): WindowsPodNetwork;
  readonly nodeSteps: PodNetworkSteps;
  /** Where a cluster that is there already may have it; undefined: no machines are joined to such a one. */
  readonly existing?: PodNetworkInExisting;
  /** Its components, which need Pulumi. */
  components(): Promise<PodNetworkComponents>;
}

/** What a pod network may depend on. */
export type PodNetworkSettings = Pick<
  Settings,
  "cni" | "cluster" | "network" | "nodes" | "windows"
>;

export interface PodNetworkComponents {
  /** Installs it into a cluster that was made for it. */
  install(this: void, controlPlane: ControlPlane, settings: PodNetworkSettings): PodNetwork;
  /** Gives one that was there before what it lacks for Windows nodes, as far as that may be set. */
  complete?(
    this: void,
    parent: pulumi.Resource,
    name: string,
    controlPlane: ControlPlane,
    network: FoundPodNetwork,
  ): Omit<PodNetwork, "awaitOnWindows">;
}

/** The pod network that a cluster was found with, or `none`; what else is known of it is its own business. */
export interface FoundPodNetwork {
  readonly kind: string;
}

/** What the settings say of a pod network that is there. */
export type WantedPodNetwork = Pick<WrittenExisting["cni"], "kind" | "mayChange" | "nodeCidr">;

/** All that the program knows of a pod network in clusters that were there before it. */
export interface PodNetworkInExisting {
  /** How it has to be installed, as people call that. */
  readonly installedAs: string;
  /** What a cluster is asked because of it, each a GET, by the name under which the answer is kept. */
  readonly questions: Readonly<Record<string, string>>;
  /** What its Windows nodes take besides what all take. */
  readonly rights: readonly Right[];
  readonly checks: readonly Check<WrittenExisting>[];
  /** What stands for it in a preview that asks nobody. */
  readonly assumed: FoundPodNetwork;
  /** Whether Windows nodes can have it; undefined: the cluster does not have it. */
  check(
    answers: ClusterAnswers,
    wanted: WantedPodNetwork,
    cluster: { readonly serviceCidr: string; readonly endpoint: string },
  ):
    { readonly network: FoundPodNetwork; readonly problems: readonly ClusterProblem[] } | undefined;
  /** What of it there is on Windows nodes. */
  onWindows(
    network: FoundPodNetwork,
    ranges: Pick<ControlPlane, "podCidr" | "serviceCidr"> & Pick<WantedPodNetwork, "nodeCidr">,
  ): WindowsPodNetwork;
}
