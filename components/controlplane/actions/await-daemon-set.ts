/** Host action: waits until a DaemonSet's newest pods are ready on the given nodes, whatever other nodes do. */
import * as z from "zod";

import { ClusterApi } from "../../../host/kubernetes/cluster-api.ts";
import { missingOnNodes } from "../../../host/kubernetes/daemon-set.ts";
import { waitUntil } from "../../../host/wait-until.ts";
import { runAction, say, text } from "../../host-action/run-action.ts";

export const environment = {
  KUBECONFIG_CONTENT: text,
  DAEMON_SET: z.strictObject({
    namespace: z.string(),
    name: z.string(),
    nodes: z.array(z.string()),
    /** Not read. A new value makes Pulumi run this action again. */
    version: z.unknown().optional(),
    timeoutSeconds: z.number().positive(),
  }),
  /** Not read. Another join of a node makes Pulumi run this action again. */
  JOIN_IDS: text,
};

await runAction(environment, async ({ KUBECONFIG_CONTENT, DAEMON_SET: request }) => {
  const api = new ClusterApi(KUBECONFIG_CONTENT);
  const { nodes } = request;
  const options = {
    what: `${request.name} to run on ${nodes.join(", ")}`,
    timeoutSeconds: request.timeoutSeconds,
    pollMilliseconds: 1000,
    onChange: say,
  };
  await waitUntil(options, async () => {
    const missing = await missingOnNodes(api, request, nodes);
    return missing.length === 0 ? undefined : missing.join("\n  ");
  });
  say(`${request.name} runs on ${nodes.join(", ")}`);
});
