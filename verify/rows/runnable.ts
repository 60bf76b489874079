import { messageOf } from "../../host/failure.ts";
import { nodesOf, type Facts, windowsRelease } from "../cluster/facts.ts";
import {
  isNotSeenYet,
  notSeenYet,
  osName,
  type Os,
  type PathRow,
  type Row,
  type SampleRow,
} from "./row.ts";

/** What a row needs of a cluster. */
export type Need =
  | { readonly need: "node"; readonly os: Os; readonly count: 1 | 2 }
  /** Pods that are isolated from the node, with addresses of their own. */
  | { readonly need: "windows-pods" }
  /** A container on a Windows node's own network. In a rehearsal it really runs, under Wine. */
  | { readonly need: "windows-host-process" }
  /** kube-proxy's rules on a Windows node. */
  | { readonly need: "windows-kube-proxy" }
  /** A port of a Windows node that leads to a pod. */
  | { readonly need: "windows-host-port" }
  /** A path from a Windows node itself to pods or Services: the pod network, or routes. */
  | { readonly need: "windows-node-way"; readonly to: "pods" | "services" }
  /** A pod that kubelet.exe starts; its container may be modelled, and the row says how far that goes. */
  | { readonly need: "windows-container" }
  /** A pod on Windows, and what its kubelet measures of it: for that it asks HNS, always. */
  | { readonly need: "windows-statistics" }
  /** A base image of Microsoft's for the node's build. */
  | { readonly need: "windows-image" }
  /** nslookup in the image of Linux' pods: agnhost's own has it, that of a rehearsal is the program alone. */
  | { readonly need: "linux-nslookup" }
  | { readonly need: "network-policies" | "host" | "internet" };

/** What a row needs, the most basic first. */
export function needsOf(row: Row): readonly Need[] {
  return row.kind === "path" ? pathNeeds(row) : sampleNeeds(row);
}

/** Why a row cannot be run here, if so. */
export function whyNot(row: Row, facts: Facts): string | undefined {
  return needsOf(row)
    .map((need) => missing(need, facts))
    .find((reason) => reason !== undefined);
}

/** Whether a row's Windows part is a HostProcess container, which in a rehearsal runs under Wine. */
export function needsHostProcess(row: Row): boolean {
  return needsOf(row).some(({ need }) => need === "windows-host-process");
}

/** What a row needs, in a few words, without implied needs; with caveats. */
export function needsText(row: Row): string {
  const needs = needsOf(row);
  const windows = needs.some(({ need }) => need.startsWith("windows-"));
  const texts = needs.map((need) => {
    switch (need.need) {
      case "node":
        if (need.count === 2) return `two ${osName(need.os)} nodes`;
        return need.os === "windows" && windows ? "" : `a ${osName(need.os)} node`;
      case "windows-pods":
        return "Windows pods with a network";
      case "windows-host-process":
        return "a HostProcess container on Windows";
      case "windows-kube-proxy":
        return "kube-proxy on Windows";
      case "windows-container":
      case "windows-statistics":
        return "a Windows container";
      case "windows-node-way":
      case "windows-host-port":
      case "windows-image":
      case "linux-nslookup":
        return "";
      case "network-policies":
        return "a pod network that enforces NetworkPolicies";
      case "host":
        return "a server on this host";
      case "internet":
        return "the internet";
    }
  });
  const all = texts.filter((text) => text !== "").join(", ");
  return isNotSeenYet(row) ? `${all} (${notSeenYet})` : all;
}

const when = (applies: boolean, need: Need): Need[] => (applies ? [need] : []);

function pathNeeds({ from, target }: PathRow): readonly Need[] {
  const systems = new Map<Os, 1 | 2>();
  if (from.where !== "outside") systems.set(from.os, 1);
  if ("os" in target && !systems.has(target.os)) systems.set(target.os, 1);
  if ("node" in target && !systems.has(target.node)) systems.set(target.node, 1);
  if ("nodes" in target && target.nodes === "other") systems.set(target.os, 2);
  const windowsTarget = "os" in target && target.os === "windows";
  const onHost = target.to === "host-pod" || ("network" in target && target.network === "host");
  const fromWindowsNode = from.where === "node" && from.os === "windows";
  const fromWindowsPod = from.where === "pod" && from.os === "windows";
  const fromLinux = from.where !== "outside" && from.os === "linux";
  const ways = { pod: "pods", service: "services", dns: "services" } as const;
  const way = ways[target.to as keyof typeof ways] as "pods" | "services" | undefined;
  return [
    ...[...systems].map(([os, count]): Need => ({ need: "node", os, count })),
    ...when(fromWindowsNode || (windowsTarget && onHost), { need: "windows-host-process" }),
    ...when((windowsTarget && !onHost) || fromWindowsPod, { need: "windows-pods" }),
    ...when(target.to === "host-port" && windowsTarget, { need: "windows-host-port" }),
    ...when(target.to === "dns" && fromLinux, { need: "linux-nslookup" }),
    ...when("node" in target && target.node === "windows", { need: "windows-kube-proxy" }),
    ...(fromWindowsNode && way ? [{ need: "windows-node-way", to: way } as const] : []),
    ...when(target.to === "policy", { need: "network-policies" }),
    ...(target.to === "host" || target.to === "internet" ? [{ need: target.to }] : []),
  ];
}

function sampleNeeds({ os, look }: SampleRow): readonly Need[] {
  const node: Need = { need: "node", os, count: 1 };
  if (look === "web-server" || look === "shop") {
    return [node, { need: "windows-pods" }, { need: "windows-image" }];
  }
  if (os === "linux") return [node];
  return [node, { need: look === "metrics" ? "windows-statistics" : "windows-container" }];
}

function missing(need: Need, facts: Facts): string | undefined {
  switch (need.need) {
    case "node": {
      const there = nodesOf(facts, need.os).length;
      return there >= need.count
        ? undefined
        : `needs ${need.count === 1 ? "a" : "two"} ${osName(need.os)} node${need.count === 1 ? "" : "s"}: there ${there === 1 ? "is one" : "is none"}`;
    }
    case "windows-pods":
      return facts.rehearsal
        ? "needs Windows: containers on a rehearsed node are modelled and have no network"
        : facts.noWindowsPodNetwork;
    case "windows-host-port":
      return facts.noWindowsHostPorts;
    case "windows-kube-proxy":
      return facts.rehearsal
        ? "needs Windows: a rehearsed node has no HNS, hence no kube-proxy"
        : facts.noWindowsPodNetwork;
    case "windows-node-way":
      if (facts.windowsNodeRoutes) return undefined;
      return facts.rehearsal
        ? `needs Windows: a rehearsed node has no HNS, hence no way to ${need.to}`
        : facts.noWindowsPodNetwork;
    case "windows-host-process":
    case "windows-container":
      return facts.rehearsal ? undefined : facts.noWindowsPodNetwork;
    case "windows-statistics":
      return facts.rehearsal
        ? "needs Windows: kubelet measures no pod where there is no HNS, and Wine has none"
        : facts.noWindowsPodNetwork;
    case "windows-image":
      return noImage(facts);
    case "linux-nslookup":
      return facts.rehearsal
        ? "needs agnhost's own image: the one of a rehearsal has no nslookup"
        : undefined;
    case "network-policies":
      return facts.noNetworkPolicies;
    case "host":
      return facts.noHost;
    case "internet":
      return facts.noInternet;
  }
}

function noImage(facts: Facts): string | undefined {
  try {
    windowsRelease(nodesOf(facts, "windows")[0]?.windowsBuild ?? "");
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
