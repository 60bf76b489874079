import * as z from "zod";

const summarySchema = z.object({
  pods: z.array(
    z.object({
      podRef: z.object({ name: z.string(), namespace: z.string() }),
      cpu: z.object({ usageCoreNanoSeconds: z.number().optional() }).optional(),
      memory: z.object({ workingSetBytes: z.number().optional() }).optional(),
    }),
  ),
});

/** What kubelet measured of a pod. */
export interface PodMetrics {
  /** Since its start. */
  readonly cpuNanoSeconds: number;
  readonly memoryBytes: number;
}

/** Path of a kubelet's summary of all its pods, through the API server. */
export function summaryPath(node: string): string {
  return `/api/v1/nodes/${node}/proxy/stats/summary`;
}

/**
 * Metrics of a pod in kubelet's summary.
 *
 * @returns what is missing, while kubelet has not measured it yet.
 * @throws when it is no summary.
 */
export function podMetrics(
  summary: unknown,
  namespace: string,
  name: string,
): PodMetrics | { readonly missing: string } {
  const { pods } = summarySchema.parse(summary);
  const pod = pods.find(({ podRef }) => podRef.name === name && podRef.namespace === namespace);
  if (pod === undefined) {
    return { missing: `no metrics of ${name} among those of ${pods.length} pods` };
  }
  const cpuNanoSeconds = pod.cpu?.usageCoreNanoSeconds;
  const memoryBytes = pod.memory?.workingSetBytes;
  return cpuNanoSeconds === undefined || memoryBytes === undefined
    ? { missing: `no ${memoryBytes === undefined ? "memory" : "processor time"} of ${name}` }
    : { cpuNanoSeconds, memoryBytes };
}
