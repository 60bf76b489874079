import type { CoreV1Event, V1Pod } from "@kubernetes/client-node";
import type { ClusterApi } from "../../kubernetes/cluster-api.ts";
import { isReady, podTroubles } from "../../kubernetes/pod-state.ts";
import type { KubernetesObject } from "./object.ts";

/** Longest report that is still readable. */
const MOST_PODS = 5;
const MOST_EVENTS = 5;

/** How long the report itself may take. */
const REPORT_SECONDS = 10;

/** Why an object is not ready: its pods that are not, and the latest warnings about it and them. */
export async function podReport(client: ClusterApi, object: KubernetesObject): Promise<string> {
  const signal = AbortSignal.timeout(REPORT_SECONDS * 1000);
  const namespace = object.metadata?.namespace ?? "default";
  const name = object.metadata?.name ?? "";
  const items = async <Item>(kind: string, query: Record<string, string>): Promise<Item[]> => {
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/${kind}`;
    const list = await client.request<{ items?: Item[] }>("GET", path, { query, signal });
    return list.items ?? [];
  };
  try {
    const pods = await items<V1Pod>("pods", { labelSelector: selectorOf(object), limit: "100" });
    const names = new Set([name, ...pods.map((pod) => pod.metadata?.name)]);
    const events = await items<CoreV1Event>("events", {
      fieldSelector: "type=Warning",
      limit: "200",
    });
    return describe(
      pods,
      events.filter((event) => names.has(event.involvedObject.name)),
    );
  } catch (error) {
    return `its pods could not be looked at: ${(error as Error).message}`;
  }
}

/** The report in words; pods that are ready are left out. */
export function describe(pods: readonly V1Pod[], events: readonly CoreV1Event[]): string {
  const unready = pods.filter((pod) => !isReady(pod));
  const lines = unready.slice(0, MOST_PODS).map(describePod);
  if (pods.length === 0) lines.push("there are no pods");
  if (unready.length > MOST_PODS) {
    lines.push(`and ${String(unready.length - MOST_PODS)} more pods that are not ready`);
  }
  const latest = [...events]
    .sort((left, right) => String(right.lastTimestamp).localeCompare(String(left.lastTimestamp)))
    .slice(0, MOST_EVENTS);
  for (const { reason, message, involvedObject } of latest) {
    lines.push(`event ${reason ?? ""} on ${involvedObject.name ?? ""}: ${message ?? ""}`);
  }
  return lines.join("\n");
}

function describePod(pod: V1Pod): string {
  const reasons = podTroubles(pod).join("; ");
  const phase = pod.status?.phase ?? "unknown";
  return `pod ${pod.metadata?.name ?? ""} on ${pod.spec?.nodeName ?? "no node"} is ${phase}${reasons === "" ? "" : `: ${reasons}`}`;
}

function selectorOf(object: KubernetesObject): string {
  const spec = (object.spec ?? {}) as {
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  };
  const labels = Object.entries(spec.selector?.matchLabels ?? {});
  return labels.map(([name, value]) => `${name}=${value}`).join(",");
}
