import type { V1Node } from "@kubernetes/client-node";
import { unreadyReason } from "../../components/controlplane/node-facts.ts";
import type { Os } from "../rows/row.ts";

/** A node, with what rows need to know. */
export interface NodeFact {
  readonly name: string;
  readonly os: Os;
  /** Its internal IPv4 address; empty if it has none. */
  readonly address: string;
  /** Why it is not Ready, if so. */
  readonly trouble?: string;
  /** Label `node.kubernetes.io/windows-build`, e.g. `10.0.20348`; only on Windows nodes. */
  readonly windowsBuild?: string;
  /** Version of its kubelet. */
  readonly version: string;
  /** Distribution or edition. */
  readonly system: string;
}

/** Facts that decide which rows can be run here. */
export interface Facts {
  readonly nodes: readonly NodeFact[];
  /** Whether Windows is rehearsed: containers on its nodes are modelled. */
  readonly rehearsal: boolean;
  /** Why Windows pods have no network, if so. */
  readonly noWindowsPodNetwork?: string;
  /** Why no port of a Windows node leads to a pod, if so. */
  readonly noWindowsHostPorts?: string;
  /** Why the pod network enforces no NetworkPolicies, if so. */
  readonly noNetworkPolicies?: string;
  /** Whether Windows nodes have routes to pods and Services through a Linux node. */
  readonly windowsNodeRoutes?: boolean;
  /** Why this host cannot be reached from the lab's segment, if so. */
  readonly noHost?: string;
  /** Why this host has no internet access, if so. */
  readonly noInternet?: string;
}

/** Nodes of one system, in the order of their names. */
export function nodesOf(facts: Pick<Facts, "nodes">, os: Os): readonly NodeFact[] {
  return facts.nodes
    .filter((node) => node.os === os)
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** A node according to the API server. */
export function nodeFact(node: V1Node): NodeFact {
  const labels = node.metadata?.labels ?? {};
  const info = node.status?.nodeInfo;
  const trouble = unreadyReason(node);
  const build = labels["node.kubernetes.io/windows-build"];
  const internal = node.status?.addresses?.find(
    ({ type, address }) => type === "InternalIP" && address.includes("."),
  );
  return {
    name: node.metadata?.name ?? "",
    os: info?.operatingSystem === "windows" ? "windows" : "linux",
    address: internal?.address ?? "",
    ...(trouble !== undefined && { trouble }),
    ...(build !== undefined && { windowsBuild: build }),
    version: info?.kubeletVersion ?? "",
    system: info?.osImage ?? "",
  };
}

/** Windows releases by their build, and what Microsoft calls their images. */
const releases: Readonly<Record<string, string>> = {
  "10.0.17763": "ltsc2019",
  "10.0.20348": "ltsc2022",
  "10.0.26100": "ltsc2025",
};

/**
 * Tag of Microsoft's base images for a node.
 *
 * @param build value of its label `node.kubernetes.io/windows-build`.
 * @throws for a build without published images.
 */
export function windowsRelease(build: string): string {
  const release = releases[build];
  if (release === undefined) {
    throw new Error(
      `there is no Windows image for the build "${build}" of the label node.kubernetes.io/windows-build: those known are ${Object.keys(releases).join(", ")}`,
    );
  }
  return release;
}
