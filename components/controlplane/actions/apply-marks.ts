import type { V1Node } from "@kubernetes/client-node";

import { withMarks, type NodeMarks } from "../node-marks.ts";
import { hasStatus } from "./cluster-api.ts";
import type { ClusterApi } from "./cluster-api.ts";

/** Conflicts with the kubelet, which writes its state into the same object, are taken up this often. */
const attempts = 10;

/** Gives a node its labels and taints as set; whether it had others. */
export async function applyMarks(
  api: ClusterApi,
  name: string,
  marks: NodeMarks,
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    const changed = withMarks(await api.get<V1Node>(`/api/v1/nodes/${name}`), marks);
    if (changed === undefined) {
      return false;
    }
    try {
      await api.put(`/api/v1/nodes/${name}`, changed);
      return true;
    } catch (error) {
      if (!hasStatus(error, 409) || attempt === attempts) {
        throw error;
      }
    }
  }
}
