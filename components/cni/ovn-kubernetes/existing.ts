import type { V1ConfigMap, V1DaemonSet, V1Node } from "@kubernetes/client-node";
import type { HostProblem } from "../../../config/host-problem.ts";
import { namedFileProblems, type NamedFile } from "../../../config/named-file.ts";
import { type Check, type SettingsProblem, unless } from "../../../config/problem.ts";
import {
  found,
  foundItems,
  type ClusterAnswers,
} from "../../controlplane/existing/cluster-answers.ts";
import {
  accessRights,
  type CheckedExisting,
  type NamedPrograms,
  type PodNetworkInExisting,
} from "../pod-network.ts";
import { type HybridOverlayOnWindows, hybridOverlayNetwork } from "./node-steps.ts";
import { ovnKubernetesPrograms } from "./release.ts";

/** Default VXLAN port of ovn-kubernetes, and the only one that Windows Server 2019 supports. */
const usualPort = 4789;

const foundHybridOverlay = (vxlanPort: number): HybridOverlayOnWindows => ({
  kind: "ovn-kubernetes",
  vxlanPort,
});

const at = ["cni", "hybridOverlay"];

/** hybrid-overlay-node.exe is not published anywhere, so the settings must name its location and checksum. */
const programNamed: Check<CheckedExisting> = {
  reads: ["cni.hybridOverlay", "cni.kind"],
  run({ cni: { kind, hybridOverlay } }) {
    const missing = (path: readonly string[], instead: string): SettingsProblem[] => [
      { path, value: undefined, why: "is missing", instead },
    ];
    const { path, url, sha256 } = hybridOverlay;
    if (kind === "ovn-kubernetes" && path === undefined && url === undefined) {
      return missing(
        at,
        `Add it: path or url of ${ovnKubernetesPrograms.hybridOverlay.file}, and its SHA-256.`,
      );
    }
    return path !== undefined && url === undefined && sha256 === undefined
      ? missing([...at, "sha256"], "Write what `sha256sum` prints of the file at `path`.")
      : namedFileProblems(hybridOverlay, at);
  },
};

export const existingOvnKubernetes: PodNetworkInExisting = {
  installedAs: "OVN-Kubernetes with its hybrid overlay",
  questions: { ovnConfig: "/api/v1/namespaces/ovn-kubernetes/configmaps/ovnkube-config" },
  rights: accessRights("OVN's hybrid overlay on Windows nodes"),
  checks: [programNamed],
  assumed: foundHybridOverlay(usualPort),
  check(answers, { hybridOverlay = {} }) {
    const options = ovnOptions(answers);
    if (options === undefined) return undefined;
    const problems = [
      ...overlayProblems(answers, options),
      ...unless(programUri(hybridOverlay) !== undefined, noProgram),
    ];
    const port = Number(options["hybrid-overlay-vxlan-port"] ?? usualPort);
    return { network: foundHybridOverlay(port), problems };
  },
  hnsNetwork: () => ({ name: hybridOverlayNetwork, endpoint: undefined }),
  programs({ hybridOverlay }): NamedPrograms {
    const uri = programUri(hybridOverlay);
    const { sha256 } = hybridOverlay;
    return uri === undefined || sha256 === undefined
      ? {}
      : { hybridOverlay: { ...ovnKubernetesPrograms.hybridOverlay, uri, sha256 } };
  },
};

const noProgram: HostProblem = {
  subject: "kindows:cni.hybridOverlay",
  why: "is missing; the cluster has OVN-Kubernetes, whose program for Windows is not published anywhere",
  instead:
    "Write where hybrid-overlay-node.exe of the cluster's version is, and its SHA-256, and kindows:cni.kind: ovn-kubernetes.",
};

function programUri({ path, url }: NamedFile): string | undefined {
  return path === undefined ? url : `file://${path}`;
}

type Options = Readonly<Record<string, string | undefined>>;

/**
 * Options of ovn-kubernetes by their names on its command line. They are read from its ConfigMap, and from the
 * environment and arguments that its manifests and chart give its pods (dist/templates, dist/images/ovnkube.sh).
 * Undefined if the cluster does not have it.
 */
function ovnOptions(answers: ClusterAnswers): Options | undefined {
  const config = found<V1ConfigMap>(answers, "ovnConfig")?.data?.["ovnkube.conf"];
  const pods = foundItems<V1DaemonSet>(answers, "daemonSets")
    .filter(({ metadata }) => /^ovnkube-(node|master)/.test(metadata?.name ?? ""))
    .flatMap(({ spec }) => spec?.template.spec?.containers ?? []);
  if (config === undefined && pods.length === 0) return undefined;
  const environment = Object.fromEntries(
    pods.flatMap(({ env }) => (env ?? []).map(({ name, value }) => [name, value])),
  ) as Options;
  return {
    "enable-hybrid-overlay": environment["OVN_HYBRID_OVERLAY_ENABLE"],
    "hybrid-overlay-cluster-subnets": environment["OVN_HYBRID_OVERLAY_NET_CIDR"],
    ...argumentsOf(pods.flatMap(({ command, args }) => [...(command ?? []), ...(args ?? [])])),
    ...(config !== undefined && configured(config)),
  };
}

function argumentsOf(words: readonly string[]): Options {
  const options = words.join(" ").matchAll(/--?([a-z0-9-]+)(?:[= ]([^\s"'-][^\s"']*))?/g);
  return Object.fromEntries([...options].map(([, name = "", value]) => [name, value ?? "true"]));
}

/** Options in ovnkube.conf, where the section `hybridoverlay` uses shorter names for some. */
function configured(text: string): Options {
  let section = "";
  const options: Record<string, string> = {};
  for (const line of text.split("\n")) {
    section = /^\[(\w+)\]/.exec(line.trim())?.[1] ?? section;
    const [, key = "", value = ""] = /^([\w-]+)\s*=\s*"?([^"]*)"?$/.exec(line.trim()) ?? [];
    if (key === "") continue;
    const names: Options = {
      enabled: "enable-hybrid-overlay",
      "cluster-subnets": "hybrid-overlay-cluster-subnets",
    };
    options[section === "hybridoverlay" ? (names[key] ?? key) : key] = value;
  }
  return options;
}

/** Problems that are only reported, because solving them restarts the network of all pods. */
function overlayProblems(answers: ClusterAnswers, options: Options): readonly HostProblem[] {
  const subject = "OVN-Kubernetes";
  if (options["enable-hybrid-overlay"] !== "true") {
    const why = "has no hybrid overlay, without which Windows nodes cannot take part";
    const instead =
      "Start ovnkube with --enable-hybrid-overlay, --hybrid-overlay-cluster-subnets and --no-hostsubnet-nodes=kubernetes.io/os=windows, then restart it on all nodes.";
    return [{ subject, why, instead }];
  }
  const mac = `${annotation}distributed-router-gateway-mac`;
  const without = foundItems<V1Node>(answers, "nodes").filter(
    ({ metadata }) =>
      metadata?.labels?.["kubernetes.io/os"] === "linux" &&
      metadata.annotations?.[mac] === undefined,
  );
  return [
    ...unless((options["hybrid-overlay-cluster-subnets"] ?? "") !== "", {
      subject,
      why: "has no range for the pods of Windows nodes",
      instead: "Set --hybrid-overlay-cluster-subnets, e.g. 10.132.0.0/14/23.",
    }),
    ...unless(without.length === 0, {
      subject: without.map(({ metadata }) => `Node ${metadata?.name ?? ""}`).join(", "),
      why: `has no annotation ${mac}: its part of the hybrid overlay is not up`,
      instead: "Look at the logs of ovnkube-node there.",
    }),
  ];
}

/** Prefix of the annotations on Nodes of the hybrid overlay (hybrid-overlay/pkg/types/types.go). */
const annotation = "k8s.ovn.org/hybrid-overlay-";
