import { nodesOf, type Facts, windowsReleases } from "../cluster/facts.ts";
import { isNotSeenYet, notSeenYet, osName } from "./row.ts";
import type { PathRow, Row, SampleRow } from "./row.ts";
import type { Os } from "../objects/names.ts";

interface Need {
  /** Name of the need; empty if the name of another need of such rows implies it. */
  readonly text: string;
  readonly windows?: true;
  readonly missing: (facts: Facts) => string | undefined;
}

/** @param rehearsed why a rehearsal does not have it. Default: a rehearsal has it. */
function onWindows(text: string, rehearsed?: string): Need {
  return {
    text,
    windows: true,
    missing: (facts) =>
      facts.rehearsal ? rehearsed && `needs Windows: ${rehearsed}` : facts.noWindowsPodNetwork,
  };
}

/** What a rehearsal has if the pod network's own programs make the pods' network on its nodes. */
function onPodNetwork(text: string, rehearsed: string): Need {
  const need = onWindows(text, rehearsed);
  return {
    ...need,
    missing: (facts) =>
      facts.rehearsal && facts.rehearsedPodNetwork ? undefined : need.missing(facts),
  };
}

const noHns = "this pod network's programs do not run on a rehearsed node, hence no";

/** Pods with their own network, as opposed to the node's. */
const windowsPods = onPodNetwork(
  "Windows pods with a network",
  "with this pod network, containers on a rehearsed node are modelled and have no network",
);
/** A container on a Windows node's own network. In a rehearsal it really runs, under Wine. */
const windowsHostProcess = onWindows("a HostProcess container on Windows");
const windowsKubeProxy = onPodNetwork("kube-proxy on Windows", `${noHns} kube-proxy`);
/** A pod that kubelet.exe starts. In a rehearsal its container is simulated, which the row's result explains. */
const windowsContainer = onWindows("a Windows container");
/** Kubelet's metrics of a Windows pod. */
const windowsStatistics = onWindows(windowsContainer.text, "processes under Wine are not measured");
/** A container of one of Microsoft's images. */
const microsoftContainer = onWindows(
  "",
  "containers of Microsoft's images are only modelled on a rehearsed node",
);
/** A Service of a node's own host-network pod, asked on that node. */
const ownHostService: Need = {
  text: "",
  missing: ({ rehearsal, rehearsedPodNetwork }) =>
    rehearsal && rehearsedPodNetwork
      ? "needs a load balancer in HNS that kube-proxy.exe does not make: HNS has no endpoint with the node's own address"
      : undefined,
};
/** A way back from this host to a Windows pod that asks it. */
const windowsWayBack: Need = { text: "", missing: (facts) => facts.noWindowsPodToHost };
const windowsHostPort: Need = { text: "", missing: (facts) => facts.noWindowsHostPorts };
/** A Microsoft base image for the node's build. */
const windowsImage: Need = {
  text: "",
  missing: (facts) => {
    const build = nodesOf(facts, "windows")[0]?.windowsBuild ?? "";
    const known = Object.keys(windowsReleases);
    return known.includes(build)
      ? undefined
      : `there is no known Windows image for the build "${build}" of the label node.kubernetes.io/windows-build (known: ${known.join(", ")})`;
  },
};
const linuxNslookup: Need = {
  text: "",
  missing: ({ rehearsal }) =>
    rehearsal ? "needs agnhost's own image: the one of a rehearsal has no nslookup" : undefined,
};
const networkPolicies: Need = {
  text: "a pod network that enforces NetworkPolicies",
  missing: (facts) => facts.noNetworkPolicies,
};
const host: Need = { text: "a server on this host", missing: (facts) => facts.noHost };
const internet: Need = { text: "the internet", missing: (facts) => facts.noInternet };

/** A route from a Windows node itself, by the pod network or by static routes. */
function windowsNodeRoute(to: "pods" | "services"): Need {
  const { missing } = onPodNetwork("", `${noHns} way to ${to}`);
  return { text: "", missing: (facts) => (facts.windowsNodeRoutes ? undefined : missing(facts)) };
}

function nodes(os: Os, count: 1 | 2): Need {
  const name = `${count === 1 ? "a" : "two"} ${osName(os)} node${count === 1 ? "" : "s"}`;
  return {
    text: name,
    missing: (facts) => {
      const there = nodesOf(facts, os).length;
      return there >= count
        ? undefined
        : `needs ${name}: there ${there === 1 ? "is one" : "is none"}`;
    },
  };
}

/** The needs of a row, the most basic first. */
function needsOf(row: Row): readonly Need[] {
  return row.kind === "path" ? pathNeeds(row) : sampleNeeds(row);
}

export function whyNot(row: Row, facts: Facts): string | undefined {
  return needsOf(row)
    .map(({ missing }) => missing(facts))
    .find((reason) => reason !== undefined);
}

/** Whether a row has a Windows part, which in a rehearsal is under Wine. */
export function usesWindows(row: Row): boolean {
  return needsOf(row).some(({ windows }) => windows);
}

/** Whether a row's Windows part is a pod with a network of its own. */
export function needsWindowsPods(row: Row): boolean {
  return needsOf(row).includes(windowsPods);
}

export function needsWindowsContainers(row: Row): boolean {
  if (row.kind === "sample") return row.os === "windows";
  return needsOf(row).some((need) => [windowsPods, windowsHostProcess].includes(need));
}

/** The needs of a row as short text, with caveats and without implied needs. */
export function needsText(row: Row): string {
  const needs = needsOf(row);
  const implied = needs.some(({ windows }) => windows) ? nodes("windows", 1).text : "";
  const texts = needs.map(({ text }) => text).filter((text) => text !== "" && text !== implied);
  return `${texts.join(", ")}${isNotSeenYet(row) ? ` (${notSeenYet})` : ""}`;
}

function pathNeeds({ from, target }: PathRow): readonly Need[] {
  const systems = new Map<Os, 1 | 2>();
  if (from.where !== "outside") systems.set(from.os, 1);
  if ("os" in target) systems.set(target.os, 1);
  if ("node" in target) systems.set(target.node, 1);
  if ("nodes" in target && target.nodes === "other") systems.set(target.os, 2);
  const fromOs = from.where === "outside" ? undefined : from.os;
  const fromWindowsNode = from.where === "node" && fromOs === "windows";
  const fromWindowsPod = from.where === "pod" && fromOs === "windows";
  const toWindows = "os" in target && target.os === "windows";
  const onHost = target.to === "host-pod" || ("network" in target && target.network === "host");
  const toService = target.to === "service" || target.to === "dns";
  const applies: readonly (readonly [Need, boolean])[] = [
    [windowsHostProcess, fromWindowsNode || (toWindows && onHost)],
    [windowsPods, (toWindows && !onHost) || fromWindowsPod],
    [ownHostService, toWindows && toService && onHost && fromWindowsNode],
    [ownHostService, toWindows && onHost && "node" in target && target.node === "windows"],
    [windowsHostPort, toWindows && target.to === "host-port"],
    [linuxNslookup, target.to === "dns" && fromOs === "linux"],
    [windowsKubeProxy, "node" in target && target.node === "windows"],
    [windowsNodeRoute("pods"), fromWindowsNode && target.to === "pod"],
    [windowsNodeRoute("services"), fromWindowsNode && toService],
    [networkPolicies, target.to === "policy"],
    [windowsWayBack, fromWindowsPod && target.to === "host"],
    [host, target.to === "host"],
    [internet, target.to === "internet"],
  ];
  return [
    ...[...systems].map(([os, count]) => nodes(os, count)),
    ...applies.flatMap(([need, isNeeded]) => (isNeeded ? [need] : [])),
  ];
}

function sampleNeeds({ os, look }: SampleRow): readonly Need[] {
  const node = nodes(os, 1);
  if (look === "web-server" || look === "shop") {
    return [node, windowsPods, microsoftContainer, windowsImage];
  }
  if (os === "linux") return [node];
  return [node, look === "metrics" ? windowsStatistics : windowsContainer];
}
