/** Host action: cordons and drains a node and deletes it; fine when the node or the whole cluster is gone. */
import * as z from "zod";
import { ClusterApi } from "../../../kubernetes/cluster-api.ts";
import { drainAndDelete } from "../drain.ts";
import { runAction, say, text } from "../../host-action/run-action.ts";

export const environment = {
  KUBECONFIG_CONTENT: text,
  NODE: z.object({
    name: z.string(),
    drainTimeoutSeconds: z.number().positive().default(60),
    /** A cluster that does not answer counts as gone. */
    apiTimeoutSeconds: z.number().positive().default(10),
  }),
};

await runAction(environment, ({ KUBECONFIG_CONTENT, NODE: { apiTimeoutSeconds, ...removal } }) =>
  drainAndDelete(new ClusterApi(KUBECONFIG_CONTENT, apiTimeoutSeconds), { ...removal, say }),
);
