import { accessInExisting } from "../windows-access.ts";

/** Never called: the settings allow OVN-Kubernetes only for existing clusters. */
export function install(): never {
  throw new Error(
    "OVN-Kubernetes is supported in existing clusters, but kindows cannot install it",
  );
}

/**
 * The hybrid overlay's service on Windows nodes reads all Nodes, which have the pod ranges, and all pods, whose
 * addresses it announces.
 */
export const complete = accessInExisting({
  name: "hybrid-overlay-windows-nodes",
  resources: ["nodes", "pods"],
});
