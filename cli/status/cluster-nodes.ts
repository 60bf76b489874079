import * as z from "zod";

/** A node as the cluster reports it. */
export interface ClusterNode {
  readonly name: string;
  /** `linux` or `windows`. */
  readonly os: string;
  readonly ready: boolean;
  /** Why it is not Ready, in Kubernetes' own words. */
  readonly reason?: string;
  /** Version of its kubelet. */
  readonly version: string;
  readonly address: string;
  /** Distribution, or Windows edition, and kernel or build. */
  readonly system: string;
  readonly runtime: string;
}

const nodeListSchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      status: z.object({
        addresses: z.array(z.object({ type: z.string(), address: z.string() })).default([]),
        conditions: z
          .array(
            z.object({
              type: z.string(),
              status: z.string(),
              reason: z.string().optional(),
              message: z.string().optional(),
            }),
          )
          .default([]),
        nodeInfo: z.object({
          kubeletVersion: z.string(),
          osImage: z.string(),
          kernelVersion: z.string(),
          containerRuntimeVersion: z.string(),
          operatingSystem: z.string(),
        }),
      }),
    }),
  ),
});

/** Nodes in the API server's answer to `/api/v1/nodes`, in its order. */
export function clusterNodes(json: string): readonly ClusterNode[] {
  return nodeListSchema.parse(JSON.parse(json)).items.map(({ metadata, status }) => {
    const info = status.nodeInfo;
    const condition = status.conditions.find(({ type }) => type === "Ready");
    const ready = condition?.status === "True";
    const internal = status.addresses.find(({ type }) => type === "InternalIP");
    return {
      name: metadata.name,
      os: info.operatingSystem,
      ready,
      ...(ready ? {} : { reason: condition?.message ?? condition?.reason ?? "no Ready condition" }),
      version: info.kubeletVersion,
      address: internal?.address ?? "",
      // A Windows kernel version is its build; a Linux one says less than the distribution.
      system:
        info.operatingSystem === "windows" ? `${info.osImage} ${info.kernelVersion}` : info.osImage,
      runtime: info.containerRuntimeVersion,
    };
  });
}
