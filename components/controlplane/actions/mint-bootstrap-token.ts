/**
 * Host action: makes the cluster accept a new bootstrap token and prints it, and nothing else; secret.
 *
 * Environment: KUBECONFIG_CONTENT (secret), the cluster's admin kubeconfig; TOKEN, a JSON object of `ttlMinutes` and
 * `description`.
 */
import * as z from "zod";

import { parameter, textParameter } from "../../host-action/environment.ts";
import { tokenText } from "../bootstrap-token-secret.ts";
import { ClusterApi } from "../../../kubernetes/cluster-api.ts";
import { mintToken } from "./mint-token.ts";
import { runAction } from "../../host-action/run-action.ts";

const requestSchema = z.strictObject({
  ttlMinutes: z.number().min(1).max(120),
  description: z.string(),
});

await runAction(async () => {
  const request = parameter("TOKEN", requestSchema);
  const token = await mintToken(new ClusterApi(textParameter("KUBECONFIG_CONTENT")), request);
  process.stdout.write(tokenText(token));
});
