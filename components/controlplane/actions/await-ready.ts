/** Host action: waits until a node is Ready. */
import * as z from "zod";
import { runAction, say, text } from "../../host-action/run-action.ts";
import { awaitReadyNode } from "./node-waits.ts";
import { ClusterApi } from "../../../host/kubernetes/cluster-api.ts";

export const environment = {
  KUBECONFIG_CONTENT: text,
  NODE: z.strictObject({ name: z.string(), timeoutSeconds: z.number().positive() }),
  /** Not read. A new token, from another join, makes Pulumi run this action again. */
  TOKEN_ID: text,
};

await runAction(environment, async ({ KUBECONFIG_CONTENT, NODE: { name, timeoutSeconds } }) => {
  await awaitReadyNode(new ClusterApi(KUBECONFIG_CONTENT), name, timeoutSeconds);
  say(`${name} is Ready`);
});
