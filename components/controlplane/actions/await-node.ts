/**
 * Host action: waits until a node is registered, removes the token it joined with, and gives it its labels and taints
 * where it has others; one that an upgrade has closed to pods is opened again once it is Ready.
 *
 * Environment: KUBECONFIG_CONTENT (secret), the cluster's admin kubeconfig; TOKEN_ID, the token's; NODE, a JSON object
 * of `name`, `timeoutSeconds`, `labels` and `taints` (none by default), and `versions`, which are there so that others
 * run this again.
 */
import * as z from "zod";

import { parameter, textParameter } from "../../host-action/environment.ts";
import { withMarks } from "../node-marks.ts";
import { awaitRegisteredNode } from "./node-waits.ts";
import { changeNode } from "../../../kubernetes/change-node.ts";
import { ClusterApi } from "../../../kubernetes/cluster-api.ts";
import { endUpgrade } from "./end-upgrade.ts";
import { revokeToken } from "./revoke-token.ts";
import { runAction, say } from "../../host-action/run-action.ts";

const requestSchema = z.strictObject({
  name: z.string(),
  timeoutSeconds: z.number().positive(),
  labels: z.record(z.string(), z.string()).default({}),
  taints: z
    .array(z.strictObject({ key: z.string(), value: z.string(), effect: z.string() }))
    .default([]),
  versions: z.record(z.string(), z.string()).default({}),
});

await runAction(async () => {
  const request = parameter("NODE", requestSchema);
  const api = new ClusterApi(textParameter("KUBECONFIG_CONTENT"));
  await awaitRegisteredNode(api, request.name, request.timeoutSeconds);
  say(`${request.name} is registered`);
  const why = await revokeToken(api, textParameter("TOKEN_ID"));
  if (why !== undefined) say(`the join token of ${request.name} stays until it expires: ${why}`);
  if (await changeNode(api, request.name, (node) => withMarks(node, request))) {
    say(`${request.name} has its labels and taints as set`);
  }
  if (await endUpgrade(api, request.name, request.timeoutSeconds)) {
    say(`${request.name} is upgraded and takes pods again`);
  }
});
