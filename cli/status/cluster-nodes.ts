import type { V1NodeList } from "@kubernetes/client-node";

/** A node as the cluster reports it. */
export interface ClusterNode {
  readonly name: string;
  /** `linux` or `windows`. */
  readonly os: string;
  readonly ready: boolean;
  /** Why it is not Ready, as Kubernetes says. */
  readonly reason?: string;
  /** Version of its kubelet. */
  readonly version: string;
  readonly address: string;
  /** Distribution, or Windows edition, and kernel or build. */
  readonly system: string;
  readonly runtime: string;
}

/**
 * Nodes in the API server's answer to `/api/v1/nodes`, in its order.
 *
 * @throws if it is no list of nodes.
 */
export function clusterNodes(json: string): readonly ClusterNode[] {
  const { items } = JSON.parse(json) as Partial<V1NodeList>;
  if (items === undefined) {
    throw new Error("its answer has no items");
  }
  return items.map(({ metadata, status }) => {
    const info = status?.nodeInfo;
    const condition = status?.conditions?.find(({ type }) => type === "Ready");
    const ready = condition?.status === "True";
    const os = info?.operatingSystem ?? "";
    return {
      ...{ name: metadata?.name ?? "", os, ready },
      ...(ready ? {} : { reason: condition?.message ?? condition?.reason ?? "no Ready condition" }),
      version: info?.kubeletVersion ?? "",
      address: status?.addresses?.find(({ type }) => type === "InternalIP")?.address ?? "",
      // A Windows kernel version is its build; a Linux one says less than the distribution.
      system: [info?.osImage, ...(os === "windows" ? [info?.kernelVersion] : [])].join(" "),
      runtime: info?.containerRuntimeVersion ?? "",
    };
  });
}
