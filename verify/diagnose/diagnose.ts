import type { V1EndpointSlice } from "@kubernetes/client-node";
import { isReady, lastWarning, podProgress } from "../../host/kubernetes/pod-state.ts";
import type { Details } from "../cluster/snapshot.ts";
import { roleName } from "../objects/names.ts";
import type { AwaitedPod } from "../run/plan.ts";
import { lookupOf, type Probe, type ProbeFailure } from "../run/probe.ts";
import { policiesOn } from "./policies-on.ts";

export function whyNotReady(awaited: readonly AwaitedPod[], details: Details): string {
  const [first, ...others] = [...new Set(awaited.map((each) => whyPodNotReady(each, details)))];
  return `${first ?? ""}${others.length > 0 ? ` (and ${others.length} more)` : ""}`;
}

function whyPodNotReady({ role, node, pod }: AwaitedPod, details: Details): string {
  const name = roleName(role);
  return (
    nodeTrouble(node, details) ??
    (pod && podProgress(pod, details.events)) ??
    lastWarning(details.events, "DaemonSet", name) ??
    `the DaemonSet ${name} has no pod on ${node}`
  );
}

/**
 * Why a probe failed: the first known problem of the cluster on its path, from the most basic (nodes) to the most
 * specific (kube-proxy), or else the kind of the failure.
 */
export function whyFailed(probe: Probe, failure: ProbeFailure, details: Details): string {
  const route = `from ${originText(probe)} to ${probe.url}`;
  return (
    nodesOnRoute(probe, details)
      .map((node) => nodeTrouble(node, details))
      .find((trouble) => trouble !== undefined) ??
    serviceTrouble(probe, details) ??
    policyFault(probe, failure, route) ??
    (failure.kind === "name" || (lookupOf(probe) && readyEndpoints(details.dnsSlices) === 0)
      ? nameTrouble(probe, details)
      : undefined) ??
    (failure.kind === "answer" || failure.kind === "exec"
      ? undefined
      : (policyTrouble(probe, details) ?? proxyTrouble(probe, details))) ??
    plainReason(probe, failure, route)
  );
}

export function nodeTrouble(name: string, { nodes }: Details): string | undefined {
  const node = nodes.find((each) => each.name === name);
  if (node === undefined) return `the node ${name} is no longer in the cluster`;
  return node.trouble === undefined ? undefined : `the node ${name} is not Ready: ${node.trouble}`;
}

function nodesOnRoute(
  { origin, targetPods, viaNode }: Probe,
  { pods }: Details,
): readonly string[] {
  const targets = pods
    .filter(({ metadata }) => targetPods.includes(metadata?.name ?? ""))
    .flatMap(({ spec }) => spec?.nodeName ?? []);
  const via = viaNode === undefined ? [] : [viaNode];
  return [...new Set([...(origin === "outside" ? [] : [origin.node]), ...via, ...targets])];
}

function serviceTrouble({ service }: Probe, details: Details): string | undefined {
  if (service === undefined) return undefined;
  const object = details.services.find(({ metadata }) => metadata?.name === service);
  if (object === undefined) return `the Service ${service} no longer exists`;
  const slices = details.slices.filter(
    ({ metadata }) => metadata?.labels?.["kubernetes.io/service-name"] === service,
  );
  if (readyEndpoints(slices) > 0) return undefined;
  const labels = Object.entries(object.spec?.selector ?? {});
  const selector = labels.map(([key, value]) => `${key}=${value}`).join(",");
  const selected = details.pods.filter(({ metadata }) =>
    labels.every(([key, value]) => metadata?.labels?.[key] === value),
  );
  const why =
    selected.length === 0
      ? `no pod has its labels ${selector}`
      : `none of its ${selected.length} pods is Ready`;
  return `the Service ${service} has no endpoints: ${why}`;
}

function nameTrouble(probe: Probe, { dnsSlices, systemPods }: Details): string {
  const name = lookupOf(probe)?.name ?? new URL(probe.url).hostname;
  const ready = readyEndpoints(dnsSlices);
  if (ready > 0) {
    return `the name ${name} is not resolved, though cluster DNS has ${ready} ready endpoint${ready === 1 ? "" : "s"}: its answers are lost, or it does not know the name`;
  }
  const servers = systemPods.filter(({ metadata }) => metadata?.labels?.["k8s-app"] === "kube-dns");
  const [broken] = servers.filter((pod) => !isReady(pod));
  const why = broken === undefined ? "there is no CoreDNS pod" : podProgress(broken);
  return `the name ${name} is not resolved: cluster DNS (the Service kube-dns) has no ready endpoint: ${why}`;
}

/** Whether the pod network does not follow the NetworkPolicy that the row tests. */
function policyFault({ policy }: Probe, { kind }: ProbeFailure, route: string): string | undefined {
  if (policy?.allows === false && kind === "answer") {
    return `the NetworkPolicy ${policy.name} is not enforced: it denies traffic ${route}, but the pod answered`;
  }
  return policy?.allows === true && ["lost", "refused", "unreachable"].includes(kind)
    ? `the NetworkPolicy ${policy.name} allows traffic ${route}, but no connection is made: the pod network blocks too much`
    : undefined;
}

function policyTrouble(
  { origin, targetPods }: Probe,
  { pods, policies }: Details,
): string | undefined {
  const ends = [
    { names: origin === "outside" ? [] : [origin.pod], direction: "Egress", preposition: "from" },
    { names: targetPods, direction: "Ingress", preposition: "to" },
  ] as const;
  for (const { names, direction, preposition } of ends) {
    for (const pod of pods) {
      const name = pod.metadata?.name ?? "";
      const [policy] = names.includes(name) ? policiesOn(pod, direction, policies) : [];
      if (policy !== undefined) {
        return `the NetworkPolicy ${policy} limits traffic ${preposition} ${name}, and no connection is made`;
      }
    }
  }
  return undefined;
}

/** Only for Services, because nothing else uses kube-proxy. */
function proxyTrouble(probe: Probe, { systemPods }: Details): string | undefined {
  if (probe.service === undefined) return undefined;
  const node = probe.viaNode ?? (probe.origin === "outside" ? undefined : probe.origin.node);
  const proxy = systemPods.find(
    ({ metadata, spec }) =>
      ["kube-proxy", "kube-proxy-windows"].includes(metadata?.labels?.["k8s-app"] ?? "") &&
      spec?.nodeName === node,
  );
  return proxy === undefined || isReady(proxy)
    ? undefined
    : `kube-proxy does not serve: ${podProgress(proxy)}`;
}

function plainReason(
  { requestSeconds }: Probe,
  { kind, text }: ProbeFailure,
  route: string,
): string {
  return {
    refused: `refused ${route}: nothing listens there, or a rule rejects it`,
    lost: `no answer within ${requestSeconds} s ${route}: packets get lost on the way`,
    unreachable: `no route ${route}`,
    answer: `the wrong answer ${route}: ${text}`,
    exec: `the command could not be run (${route}): ${text}`,
    name: `the name is not resolved (${route})`,
    other: `no success ${route}: ${text}`,
  }[kind];
}

function originText({ origin }: Probe): string {
  return origin === "outside" ? "this host" : `${origin.pod} on ${origin.node}`;
}

function readyEndpoints(slices: readonly V1EndpointSlice[]): number {
  return slices
    .flatMap(({ endpoints }) => endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false).length;
}
