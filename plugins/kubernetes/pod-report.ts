import type { ApiClient } from "./api-client.ts";
import type { KubernetesObject } from "./object.ts";

interface Pod {
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

interface ContainerStatus {
  readonly name: string;
  readonly ready: boolean;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly terminated?: { readonly reason?: string; readonly exitCode: number };
  };
}

interface Event {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTimestamp?: string | null;
  readonly involvedObject?: { readonly name?: string };
}

/** Longest report: enough to see what is wrong, short enough to read. */
const MOST_PODS = 5;
const MOST_EVENTS = 5;

/** How long the report itself may take. */
const REPORT_SECONDS = 10;

/** Why an object is not ready: its pods that are not, and the latest warnings about it and them. */
export async function podReport(client: ApiClient, object: KubernetesObject): Promise<string> {
  const signal = AbortSignal.timeout(REPORT_SECONDS * 1000);
  const namespace = object.metadata?.namespace ?? "default";
  const name = object.metadata?.name ?? "";
  const items = async <Item>(kind: string, query: Record<string, string>): Promise<Item[]> => {
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/${kind}`;
    const list = await client.request<{ items?: Item[] }>("GET", path, { query, signal });
    return list.items ?? [];
  };
  try {
    const pods = await items<Pod>("pods", { labelSelector: selectorOf(object), limit: "100" });
    const names = new Set([name, ...pods.map((pod) => pod.metadata.name)]);
    const events = await items<Event>("events", { fieldSelector: "type=Warning", limit: "200" });
    return describe(
      pods,
      events.filter((event) => names.has(event.involvedObject?.name ?? "")),
    );
  } catch (error) {
    return `its pods could not be looked at: ${(error as Error).message}`;
  }
}

/** The report in words; pods that are ready are left out. */
export function describe(pods: readonly Pod[], events: readonly Event[]): string {
  const unready = pods.filter((pod) => condition(pod, "Ready")?.status !== "True");
  const lines = unready.slice(0, MOST_PODS).map(describePod);
  if (pods.length === 0) lines.push("there are no pods");
  if (unready.length > MOST_PODS) {
    lines.push(`and ${String(unready.length - MOST_PODS)} more pods that are not ready`);
  }
  const latest = [...events]
    .sort((left, right) => (right.lastTimestamp ?? "").localeCompare(left.lastTimestamp ?? ""))
    .slice(0, MOST_EVENTS);
  for (const { reason, message, involvedObject } of latest) {
    lines.push(`event ${reason ?? ""} on ${involvedObject?.name ?? ""}: ${message ?? ""}`);
  }
  return lines.join("\n");
}

function describePod(pod: Pod): string {
  const where = pod.spec?.nodeName === undefined ? "on no node" : `on ${pod.spec.nodeName}`;
  const containers = [
    ...(pod.status?.initContainerStatuses ?? []),
    ...(pod.status?.containerStatuses ?? []),
  ].flatMap(describeContainer);
  const scheduled = condition(pod, "PodScheduled");
  const unscheduled = scheduled?.status === "False" ? [scheduled.message ?? "unschedulable"] : [];
  const reasons = [...unscheduled, ...containers].join("; ");
  const phase = pod.status?.phase ?? "unknown";
  return `pod ${pod.metadata.name} ${where} is ${phase}${reasons === "" ? "" : `: ${reasons}`}`;
}

function describeContainer({ name, state }: ContainerStatus): string[] {
  const { waiting, terminated } = state ?? {};
  if (waiting !== undefined) {
    const message = waiting.message === undefined ? "" : ` (${waiting.message})`;
    return [`container ${name} waits: ${waiting.reason ?? "unknown"}${message}`];
  }
  if (terminated !== undefined && terminated.exitCode !== 0) {
    return [`container ${name} ended with ${String(terminated.exitCode)}`];
  }
  return [];
}

function condition(
  pod: Pod,
  type: string,
): { readonly status: string; readonly message?: string } | undefined {
  return pod.status?.conditions?.find((entry) => entry.type === type);
}

function selectorOf(object: KubernetesObject): string {
  const spec = (object.spec ?? {}) as {
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  };
  const labels = Object.entries(spec.selector?.matchLabels ?? {});
  return labels.map(([name, value]) => `${name}=${value}`).join(",");
}
