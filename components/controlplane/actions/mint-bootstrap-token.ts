/** Host action: makes the cluster accept a new bootstrap token and prints only that; secret. */
import * as z from "zod";
import { ClusterApi } from "../../../host/kubernetes/cluster-api.ts";
import { mintToken } from "../join-token.ts";
import { runAction, text } from "../../host-action/run-action.ts";

export const environment = {
  KUBECONFIG_CONTENT: text,
  TOKEN: z.strictObject({ ttlMinutes: z.number().min(1).max(120), description: z.string() }),
};

await runAction(environment, ({ KUBECONFIG_CONTENT, TOKEN: request }) =>
  mintToken(new ClusterApi(KUBECONFIG_CONTENT), request),
);
