import * as z from "zod";

import { isCordonedForUpgrade } from "../../components/controlplane/upgrade-cordon.ts";
import type { Finding, Repair } from "./finding.ts";

const conditionSchema = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().optional(),
  message: z.string().optional(),
  lastTransitionTime: z.string().nullish(),
});

const nodesSchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object({
        name: z.string(),
        annotations: z.record(z.string(), z.string()).optional(),
      }),
      spec: z.object({ unschedulable: z.boolean().optional() }).default({}),
      status: z
        .object({ conditions: z.array(conditionSchema).default([]) })
        .default({ conditions: [] }),
    }),
  ),
});

const podsSchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object({
        name: z.string(),
        creationTimestamp: z.string(),
        deletionTimestamp: z.string().optional(),
      }),
      spec: z.object({ nodeName: z.string().optional() }).default({}),
      status: z
        .object({
          phase: z.string().optional(),
          conditions: z.array(conditionSchema).default([]),
          containerStatuses: z
            .array(
              z.object({
                state: z
                  .object({ waiting: z.object({ reason: z.string().optional() }).optional() })
                  .default({}),
              }),
            )
            .default([]),
        })
        .default({ conditions: [], containerStatuses: [] }),
    }),
  ),
});

const leasesSchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      spec: z.object({ renewTime: z.string().nullish() }).default({}),
    }),
  ),
});

/**
 * Seconds without a sign of a kubelet after which it is told of: it renews its node's lease every 10 s, and the control
 * plane takes the node for lost after 40 to 50.
 */
const silenceSeconds = 60;

/** Seconds a pod may take to become ready before it is told of: after an `up`, or a start of its node, it needs some. */
const podGraceSeconds = 180;

/** What a cluster answered; each part as the API server sent it, or why it did not. */
export interface ClusterAnswer {
  readonly nodes: unknown;
  /** Pods of kube-system. */
  readonly pods: unknown;
  /** Leases of kube-node-lease. */
  readonly leases: unknown;
}

/**
 * When each node's kubelet gave the last sign of itself, by its own clock.
 *
 * @throws when the answer is no list of leases.
 */
export function heartbeatsOf({ leases }: Pick<ClusterAnswer, "leases">): ReadonlyMap<string, Date> {
  return new Map(
    leasesSchema.parse(leases).items.flatMap(({ metadata, spec }) => {
      const time = new Date(spec.renewTime ?? "");
      return Number.isNaN(time.getTime()) ? [] : [[metadata.name, time] as const];
    }),
  );
}

/** What is known of a lab's nodes when the cluster's answer is judged. */
export interface KnownNodes {
  /** Nodes that have joined, by the stack's state. */
  readonly joined: readonly string[];
  /** Nodes that are containers of this host. */
  readonly containers: readonly string[];
  /** Nodes whose clock is wrong: what they say of times means nothing. */
  readonly wrongClocks: readonly string[];
  /** Machines that can be told to join again. */
  readonly canJoin: (node: string) => boolean;
}

/**
 * What is wrong with the nodes of a cluster, and with the pods of kube-system on those that are in order.
 *
 * @throws when the answer is no list of nodes, or of pods.
 */
export function judgeNodes(
  answer: ClusterAnswer,
  known: KnownNodes,
  now: Date,
): readonly Finding[] {
  const nodes = nodesSchema.parse(answer.nodes).items;
  const heartbeats = heartbeatsOf(answer);
  const names = nodes.map(({ metadata }) => metadata.name);
  const missing = [...known.joined, ...known.containers].filter((name) => !names.includes(name));
  const ready = nodes.filter(({ status }) =>
    status.conditions.some(({ type, status: value }) => type === "Ready" && value === "True"),
  );
  return [
    ...missing.map((name) => ({
      name: `node ${name}`,
      seen: "it is not in the cluster, though it has joined: somebody has deleted it",
      remedy: `restart kubelet on it: it registers again`,
      ...repairOf(name, known),
    })),
    ...nodes.flatMap((node) => judgeNode(node, known)),
    ...ready.flatMap(({ metadata }) =>
      judgeSilence(metadata.name, heartbeats.get(metadata.name), known, now),
    ),
    ...judgePods(
      answer.pods,
      ready.map(({ metadata }) => metadata.name),
      now,
    ),
  ];
}

function judgeNode(
  { metadata, spec, status }: z.infer<typeof nodesSchema>["items"][number],
  known: KnownNodes,
): readonly Finding[] {
  const { name } = metadata;
  const condition = (wanted: string): z.infer<typeof conditionSchema> | undefined =>
    status.conditions.find(({ type }) => type === wanted);
  const findings: Finding[] = [];
  const ready = condition("Ready");
  if (ready?.status !== "True") {
    findings.push({
      name: `node ${name}`,
      seen: `it is not Ready: ${ready?.message ?? ready?.reason ?? "kubelet has never said so"}`,
      remedy: remedyOf(name, known),
      ...repairOf(name, known),
    });
  }
  for (const type of ["MemoryPressure", "DiskPressure", "PIDPressure"]) {
    const pressure = condition(type);
    if (pressure?.status === "True") {
      findings.push({
        name: `node ${name}`,
        seen: `${type}: ${pressure.message ?? pressure.reason ?? "no reason given"}`,
        remedy: "free memory or disk on it, or remove pods: kubelet notices by itself",
      });
    }
  }
  if (spec.unschedulable === true) {
    const upgrade = isCordonedForUpgrade({ metadata });
    findings.push({
      name: `node ${name}`,
      seen: upgrade
        ? "it is closed to pods for an upgrade that was not finished"
        : "it is closed to pods (cordoned); who did so may have a reason",
      remedy: upgrade ? "kindows up: finishes the upgrade" : `kubectl uncordon ${name}`,
    });
  }
  return findings;
}

/** A node that is still shown as Ready, though its kubelet gives no sign any more. */
function judgeSilence(
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

/** Pods whose node is in order, and which are not, for longer than a start takes. */
function judgePods(list: unknown, ready: readonly string[], now: Date): readonly Finding[] {
  return podsSchema.parse(list).items.flatMap(({ metadata, spec, status }) => {
    const condition = status.conditions.find(({ type }) => type === "Ready");
    const since = new Date(condition?.lastTransitionTime ?? metadata.creationTimestamp);
    const elsewhere = spec.nodeName !== undefined && !ready.includes(spec.nodeName);
    if (
      status.phase === "Succeeded" ||
      metadata.deletionTimestamp !== undefined ||
      condition?.status === "True" ||
      elsewhere ||
      now.getTime() - since.getTime() < podGraceSeconds * 1000
    ) {
      return [];
    }
    const reasons = status.containerStatuses.flatMap(({ state }) => state.waiting?.reason ?? []);
    const why = [...new Set(reasons)].join(", ") || condition?.message || status.phase;
    return [
      {
        name: `pod kube-system/${metadata.name}`,
        seen: `it is not ready for more than ${podGraceSeconds / 60} min: ${why ?? "no reason given"}`,
        remedy: `kubectl -n kube-system describe pod ${metadata.name}`,
      },
    ];
  });
}
