/** Host action: makes the cluster accept a new bootstrap token and prints it, and nothing else; secret. */
import * as z from "zod";
import { tokenText } from "../bootstrap-token-secret.ts";
import { ClusterApi } from "../../../kubernetes/cluster-api.ts";
import { mintToken } from "./join-tokens.ts";
import { runAction, text } from "../../host-action/run-action.ts";

export const environment = {
  KUBECONFIG_CONTENT: text,
  TOKEN: z.strictObject({ ttlMinutes: z.number().min(1).max(120), description: z.string() }),
};

await runAction(environment, async ({ KUBECONFIG_CONTENT, TOKEN: request }) =>
  tokenText(await mintToken(new ClusterApi(KUBECONFIG_CONTENT), request)),
);
