import type {
  V1LeaseList,
  V1Node,
  V1NodeCondition,
  V1NodeList,
  V1PodList,
  V1SecretList,
} from "@kubernetes/client-node";

import { isCordonedForUpgrade } from "../../components/controlplane/drain.ts";
import type { Finding, FindingKind } from "./finding.ts";

/** A kubelet renews its node's lease every 10 s. After 40 to 50 s, the control plane marks the node NotReady. */
const silenceSeconds = 60;

/** Time in which a pod may become ready after an `up`, or a start of its node. */
const podGraceSeconds = 180;

export interface ClusterAnswer {
  readonly nodes: unknown;
  readonly pods: unknown;
  readonly leases: unknown;
  readonly tokens?: V1SecretList | undefined;
}

/** Time of each kubelet's last heartbeat, by its own clock; none if the answer is no list of leases. */
export function heartbeatsOf({
  leases,
}: Pick<ClusterAnswer, "leases">): Readonly<Record<string, Date>> {
  const { items = [] } = (leases ?? {}) as Partial<V1LeaseList>;
  return Object.fromEntries(
    items.flatMap(({ metadata, spec }) => {
      const time = new Date(spec?.renewTime ?? "");
      return Number.isNaN(time.getTime()) ? [] : [[metadata?.name ?? "", time] as const];
    }),
  );
}

export interface KnownNodes {
  readonly joined: readonly string[];
  readonly containers: readonly string[];
  /** Nodes whose clock is wrong, so that their times are ignored. */
  readonly wrongClocks: readonly string[];
  readonly canJoin: (node: string) => boolean;
  /** Whether nodes are not Ready until the user has installed a pod network. */
  readonly awaitsPodNetwork: boolean;
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
      ...kubeletFinding("node-missing", name, known, deleted),
      remedy: "restart kubelet on it: it registers again",
    })),
    ...nodes.flatMap((node) => checkNode(node, known)),
    // A node is shown as Ready for a while after its kubelet has stopped.
    ...ready.flatMap((name) => {
      const heard = known.wrongClocks.includes(name) ? undefined : heartbeats[name];
      const seconds = (now.getTime() - (heard ?? now).getTime()) / 1000;
      const seen = `its kubelet has sent no heartbeat for ${Math.round(seconds)} s`;
      return seconds <= silenceSeconds ? [] : [kubeletFinding("node-silent", name, known, seen)];
    }),
    ...checkPods(answer.pods, ready, known.awaitsPodNetwork && ready.length === 0, now),
  ];
}

const deleted = "it has joined, but is not in the cluster: its Node was deleted";

function nameOf({ metadata }: V1Node): string {
  if (metadata?.name === undefined) throw new Error("it has an item without a name");
  return metadata.name;
}

function condition({ status }: V1Node, wanted: string): V1NodeCondition | undefined {
  return status?.conditions?.find(({ type }) => type === wanted);
}

function kubeletFinding(kind: FindingKind, name: string, known: KnownNodes, seen: string): Finding {
  const found = { kind, subject: name, seen };
  if (known.containers.includes(name)) {
    const remedy = `docker exec ${name} journalctl -u kubelet`;
    return { ...found, remedy, repair: { kind: "restart-kubelet", container: name } };
  }
  const remedy = `kindows logs ${name}`;
  return {
    ...found,
    remedy,
    ...(known.canJoin(name) && { repair: { kind: "run-join", node: name } }),
  };
}

function checkNode(node: V1Node, known: KnownNodes): readonly Finding[] {
  const name = nameOf(node);
  const ready = condition(node, "Ready");
  const notReady = ready?.message ?? ready?.reason ?? "kubelet has not reported its condition";
  const upgrade = isCordonedForUpgrade(node);
  return [
    ...(ready?.status === "True" || (known.awaitsPodNetwork && ready?.status === "False")
      ? []
      : [kubeletFinding("node-not-ready", name, known, `it is not Ready: ${notReady}`)]),
    ...["MemoryPressure", "DiskPressure", "PIDPressure"].flatMap((type): Finding[] => {
      const { status, message, reason = "no reason given" } = condition(node, type) ?? {};
      const remedy = "free memory or disk on it, or remove pods: kubelet notices by itself";
      return status === "True"
        ? [{ kind: "node-pressure", subject: name, seen: `${type}: ${message ?? reason}`, remedy }]
        : [];
    }),
    ...(node.spec?.unschedulable === true
      ? [
          {
            kind: "node-cordoned" as const,
            subject: name,
            seen: upgrade ? "an upgrade was not finished" : "it may have been cordoned on purpose",
            remedy: upgrade ? "kindows up: finishes the upgrade" : `kubectl uncordon ${name}`,
          },
        ]
      : []),
  ];
}

/** @param nowhere whether no node can take pods yet. */
function checkPods(
  list: unknown,
  ready: readonly string[],
  nowhere: boolean,
  now: Date,
): readonly Finding[] {
  return (list as V1PodList).items.flatMap(({ metadata = {}, spec, status }) => {
    const readiness = status?.conditions?.find(({ type }) => type === "Ready");
    const since = new Date(readiness?.lastTransitionTime ?? metadata.creationTimestamp ?? 0);
    const elsewhere = spec?.nodeName === undefined ? nowhere : !ready.includes(spec.nodeName);
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
        kind: "pod-not-ready",
        subject: `kube-system/${metadata.name}`,
        seen: `it is not ready for more than ${podGraceSeconds / 60} min: ${why ?? "no reason given"}`,
        remedy: `kubectl -n kube-system describe pod ${metadata.name}`,
      },
    ];
  });
}
