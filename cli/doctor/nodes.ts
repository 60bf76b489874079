import type {
  V1LeaseList,
  V1Node,
  V1NodeCondition,
  V1NodeList,
  V1PodList,
} from "@kubernetes/client-node";

import { isCordonedForUpgrade } from "../../components/controlplane/drain.ts";
import type { Finding, Repair } from "./finding.ts";

/**
 * A kubelet without a heartbeat for so many seconds is reported: it renews its node's lease every 10 s, and the control
 * plane marks the node as NotReady after 40 to 50.
 */
const silenceSeconds = 60;

/** A pod that is not ready after so many seconds is reported: it needs some after an `up`, or a start of its node. */
const podGraceSeconds = 180;

/** A cluster's answers; each part as the API server sent it, or why it did not. */
export interface ClusterAnswer {
  readonly nodes: unknown;
  readonly pods: unknown;
  readonly leases: unknown;
}

/**
 * Time of each kubelet's last heartbeat, by its own clock.
 *
 * @throws if the answer is no list of leases.
 */
export function heartbeatsOf({ leases }: Pick<ClusterAnswer, "leases">): ReadonlyMap<string, Date> {
  return new Map(
    (leases as V1LeaseList).items.flatMap(({ metadata, spec }) => {
      const time = new Date(spec?.renewTime ?? "");
      return Number.isNaN(time.getTime()) ? [] : [[metadata?.name ?? "", time] as const];
    }),
  );
}

/** What is known about a lab's nodes when the cluster's answer is checked. */
export interface KnownNodes {
  /** Nodes that have joined, by the stack's state. */
  readonly joined: readonly string[];
  readonly containers: readonly string[];
  /** Nodes whose clock is wrong: their times mean nothing. */
  readonly wrongClocks: readonly string[];
  readonly canJoin: (node: string) => boolean;
}

/**
 * What is wrong with the nodes of a cluster, and with the pods of kube-system on healthy nodes.
 *
 * @throws when the answer is no list of nodes, or of pods.
 */
export function checkNodes(
  answer: ClusterAnswer,
  known: KnownNodes,
  now: Date,
): readonly Finding[] {
  const nodes = (answer.nodes as V1NodeList).items;
  const heartbeats = heartbeatsOf(answer);
  const names = nodes.map(nameOf);
  const missing = [...known.joined, ...known.containers].filter((name) => !names.includes(name));
  const ready = nodes.filter((node) => condition(node, "Ready")?.status === "True").map(nameOf);
  return [
    ...missing.map((name) => ({
      name: `node ${name}`,
      seen: "it is not in the cluster, though it has joined: somebody has deleted it",
      remedy: `restart kubelet on it: it registers again`,
      ...repairOf(name, known),
    })),
    ...nodes.flatMap((node) => checkNode(node, known)),
    ...ready.flatMap((name) => checkSilence(name, heartbeats.get(name), known, now)),
    ...checkPods(answer.pods, ready, now),
  ];
}

/** @throws if it has none: then it is no node. */
function nameOf({ metadata }: V1Node): string {
  if (metadata?.name === undefined) throw new Error("it has an item without a name");
  return metadata.name;
}

function condition({ status }: V1Node, wanted: string): V1NodeCondition | undefined {
  return status?.conditions?.find(({ type }) => type === wanted);
}

function checkNode(node: V1Node, known: KnownNodes): readonly Finding[] {
  const name = nameOf(node);
  const findings: Finding[] = [];
  const ready = condition(node, "Ready");
  if (ready?.status !== "True") {
    findings.push({
      name: `node ${name}`,
      seen: `it is not Ready: ${ready?.message ?? ready?.reason ?? "kubelet has never said so"}`,
      remedy: remedyOf(name, known),
      ...repairOf(name, known),
    });
  }
  for (const type of ["MemoryPressure", "DiskPressure", "PIDPressure"]) {
    const pressure = condition(node, type);
    if (pressure?.status === "True") {
      findings.push({
        name: `node ${name}`,
        seen: `${type}: ${pressure.message ?? pressure.reason ?? "no reason given"}`,
        remedy: "free memory or disk on it, or remove pods: kubelet notices by itself",
      });
    }
  }
  if (node.spec?.unschedulable === true) {
    const upgrade = isCordonedForUpgrade(node);
    findings.push({
      // Not `node ${name}`: waiting does not change it.
      name: `cordoned node ${name}`,
      seen: upgrade ? "an upgrade was not finished" : "somebody may have a reason for that",
      remedy: upgrade ? "kindows up: finishes the upgrade" : `kubectl uncordon ${name}`,
    });
  }
  return findings;
}

/** A node that is still shown as Ready although its kubelet has stopped sending heartbeats. */
function checkSilence(
  name: string,
  heard: Date | undefined,
  known: KnownNodes,
  now: Date,
): readonly Finding[] {
  const seconds = heard === undefined ? 0 : (now.getTime() - heard.getTime()) / 1000;
  return seconds <= silenceSeconds || known.wrongClocks.includes(name)
    ? []
    : [
        {
          name: `node ${name}`,
          seen: `its kubelet has given no sign for ${Math.round(seconds)} s`,
          remedy: remedyOf(name, known),
          ...repairOf(name, known),
        },
      ];
}

function remedyOf(name: string, known: KnownNodes): string {
  return known.containers.includes(name)
    ? `docker exec ${name} journalctl -u kubelet`
    : `kindows logs ${name}`;
}

function repairOf(name: string, known: KnownNodes): { readonly repair?: Repair } {
  if (known.containers.includes(name)) {
    return { repair: { kind: "restart-kubelet", container: name } };
  }
  return known.canJoin(name) ? { repair: { kind: "run-join", node: name } } : {};
}

/** Pods on healthy nodes that have not been ready for longer than a start takes. */
function checkPods(list: unknown, ready: readonly string[], now: Date): readonly Finding[] {
  return (list as V1PodList).items.flatMap(({ metadata = {}, spec, status }) => {
    const readiness = status?.conditions?.find(({ type }) => type === "Ready");
    const since = new Date(readiness?.lastTransitionTime ?? metadata.creationTimestamp ?? 0);
    const elsewhere = spec?.nodeName !== undefined && !ready.includes(spec.nodeName);
    if (
      status?.phase === "Succeeded" ||
      metadata.deletionTimestamp !== undefined ||
      readiness?.status === "True" ||
      elsewhere ||
      now.getTime() - since.getTime() < podGraceSeconds * 1000
    ) {
      return [];
    }
    const reasons = status?.containerStatuses?.flatMap((each) => each.state?.waiting?.reason ?? []);
    const why = [...new Set(reasons)].join(", ") || readiness?.message || status?.phase;
    return [
      {
        name: `pod kube-system/${metadata.name}`,
        seen: `it is not ready for more than ${podGraceSeconds / 60} min: ${why ?? "no reason given"}`,
        remedy: `kubectl -n kube-system describe pod ${metadata.name}`,
      },
    ];
  });
}
