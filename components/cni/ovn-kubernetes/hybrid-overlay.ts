import { accessInExisting } from "../windows-access.ts";

/** A cluster is not created with it. */
export function install(): never {
  throw new Error("OVN-Kubernetes is found in existing clusters, and not installed");
}

/** Its service on Windows nodes sees all Nodes, which have their ranges, and all pods, whose addresses it announces. */
export const complete = accessInExisting({
  name: "hybrid-overlay-windows-nodes",
  resources: ["nodes", "pods"],
});
