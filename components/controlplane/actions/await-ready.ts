/**
 * Host action: waits until a node is Ready, and prints `NodeFacts` as one JSON object.
 *
 * Environment: KUBECONFIG_CONTENT (secret), the cluster's admin kubeconfig; NODE, a JSON object of `name` and
 * `timeoutSeconds`.
 */
import * as z from "zod";

import { parameter, textParameter } from "../../host-action/environment.ts";
import { runAction, say } from "../../host-action/run-action.ts";
import { nodeFacts } from "../node-facts.ts";
import { awaitReadyNode } from "./node-waits.ts";
import { ClusterApi } from "../../../kubernetes/cluster-api.ts";

const requestSchema = z.strictObject({ name: z.string(), timeoutSeconds: z.number().positive() });

await runAction(async () => {
  const request = parameter("NODE", requestSchema);
  const api = new ClusterApi(textParameter("KUBECONFIG_CONTENT"));
  const node = await awaitReadyNode(api, request.name, request.timeoutSeconds);
  say(`${request.name} is Ready`);
  process.stdout.write(JSON.stringify(nodeFacts(node)));
});
