import type { CoreV1Api, V1Node } from "@kubernetes/client-node";

import { nodeReadiness } from "../node-facts.ts";
import { apiMessage, hasStatus } from "./cluster-api.ts";
import { say } from "./run-action.ts";
import { waitFor } from "./wait.ts";
import type { Look } from "./wait.ts";

/** Waits until a node is Ready. */
export async function awaitReadyNode(
  api: CoreV1Api,
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
      const node = await api.readNode({ name });
      const state = nodeReadiness(node);
      return state.ready ? { found: node } : { seen: state.reason };
    } catch (error) {
      return { seen: hasStatus(error, 404) ? "not registered" : apiMessage(error) };
    }
  });
}
