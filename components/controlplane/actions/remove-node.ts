/**
 * Host action: cordons and drains a node and deletes it; fine when the node or the whole cluster is gone.
 *
 * Environment: KUBECONFIG_CONTENT (secret), the cluster's admin kubeconfig; NODE, a JSON object of `name`,
 * `drainTimeoutSeconds` (default 60) and `apiTimeoutSeconds` (default 10: a cluster that does not answer counts as gone).
 */
import * as z from "zod";

import { parameter, textParameter } from "../../host-action/environment.ts";
import { ClusterApi } from "../../../kubernetes/cluster-api.ts";
import { drainAndDelete } from "./drain-and-delete.ts";
import { runAction } from "../../host-action/run-action.ts";

const removalSchema = z.object({
  name: z.string(),
  drainTimeoutSeconds: z.number().positive().default(60),
  apiTimeoutSeconds: z.number().positive().default(10),
});

await runAction(async () => {
  const { apiTimeoutSeconds, ...removal } = parameter("NODE", removalSchema);
  const api = new ClusterApi(textParameter("KUBECONFIG_CONTENT"), apiTimeoutSeconds);
  await drainAndDelete(api, removal);
});
