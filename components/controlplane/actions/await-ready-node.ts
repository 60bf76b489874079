import type { V1Node } from "@kubernetes/client-node";

import { nodeReadiness } from "../node-facts.ts";
import { hasStatus } from "./cluster-api.ts";
import type { ClusterApi } from "./cluster-api.ts";
import { say } from "../../host-action/run-action.ts";
import { waitFor } from "./wait.ts";
import type { Look } from "./wait.ts";

/** Waits until a node is Ready. */
export async function awaitReadyNode(
  api: ClusterApi,
  name: string,
  timeoutSeconds: number,
): Promise<V1Node> {
  const options = {
    what: `the node ${name} to be Ready`,
    timeoutSeconds,
    onChange: (seen: string) => say(`${name}: ${seen}`),
  };
  return waitFor(options, async (): Promise<Look<V1Node>> => {
    try {
      const node = await api.get<V1Node>(`/api/v1/nodes/${name}`);
      const state = nodeReadiness(node);
      return state.ready ? { found: node } : { seen: state.reason };
    } catch (error) {
      if (hasStatus(error, 404)) {
        return { seen: "not registered" };
      }
      throw error;
    }
  });
}
