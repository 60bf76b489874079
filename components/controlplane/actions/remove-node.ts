/**
 * Host action: cordons, drains and deletes a node. Succeeds if the node or the whole cluster does not exist any more.
 */
import * as z from "zod";
import { ClusterApi } from "../../../host/kubernetes/cluster-api.ts";
import { drainAndDelete } from "../drain.ts";
import { runAction, say, text } from "../../host-action/run-action.ts";

export const environment = {
  KUBECONFIG_CONTENT: text,
  NODE: z.object({
    name: z.string(),
    drainTimeoutSeconds: z.number().positive().default(60),
    /** Longest wait for an answer of the API server. A cluster that does not answer counts as gone. */
    apiTimeoutSeconds: z.number().positive().default(10),
  }),
};

await runAction(environment, ({ KUBECONFIG_CONTENT, NODE: { apiTimeoutSeconds, ...removal } }) =>
  drainAndDelete(new ClusterApi(KUBECONFIG_CONTENT, apiTimeoutSeconds), { ...removal, say }),
);
