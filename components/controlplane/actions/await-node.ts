/**
 * Host action: waits until a node is registered, and gives it its labels and taints where it has others.
 *
 * Environment: KUBECONFIG_CONTENT (secret), the cluster's admin kubeconfig; NODE, a JSON object of `name`,
 * `timeoutSeconds`, `labels` and `taints` (none by default).
 */
import { z } from "zod";

import { parameter, textParameter } from "../../host-action/environment.ts";
import { awaitRegisteredNode } from "./node-waits.ts";
import { applyMarks } from "./apply-marks.ts";
import { ClusterApi } from "./cluster-api.ts";
import { runAction, say } from "../../host-action/run-action.ts";

const requestSchema = z.strictObject({
  name: z.string(),
  timeoutSeconds: z.number().positive(),
  labels: z.record(z.string(), z.string()).default({}),
  taints: z
    .array(z.strictObject({ key: z.string(), value: z.string(), effect: z.string() }))
    .default([]),
});

await runAction(async () => {
  const request = parameter("NODE", requestSchema);
  const api = new ClusterApi(textParameter("KUBECONFIG_CONTENT"));
  await awaitRegisteredNode(api, request.name, request.timeoutSeconds);
  say(`${request.name} is registered`);
  if (await applyMarks(api, request.name, request)) {
    say(`${request.name} has its labels and taints as set`);
  }
});
