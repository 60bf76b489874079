/**
 * Host action: waits until a node is registered, deletes the token it joined with, and sets its labels and taints. A
 * node that an upgrade has cordoned is uncordoned once it is Ready.
 */
import * as z from "zod";
import { withLabelsAndTaints } from "../labels-and-taints.ts";
import { awaitRegisteredNode } from "./node-waits.ts";
import { changeNode } from "../../../host/kubernetes/change-node.ts";
import { ClusterApi } from "../../../host/kubernetes/cluster-api.ts";
import { withoutSuperseded } from "../deployed-programs.ts";
import { endUpgrade } from "../drain.ts";
import { revokeToken } from "../join-token.ts";
import { runAction, say, text } from "../../host-action/run-action.ts";

export const environment = {
  KUBECONFIG_CONTENT: text,
  TOKEN_ID: text,
  NODE: z.strictObject({
    name: z.string(),
    timeoutSeconds: z.number().positive(),
    labels: z.record(z.string(), z.string()).default({}),
    taints: z
      .array(z.strictObject({ key: z.string(), value: z.string(), effect: z.string() }))
      .default([]),
    /** Not read. Other versions make Pulumi run this action again. */
    versions: z.record(z.string(), z.string()).default({}),
    /** What the steps install. Other programs end what was noted as deployed in their place. */
    programs: z.record(z.string(), z.string()).default({}),
  }),
};

await runAction(environment, async ({ KUBECONFIG_CONTENT, TOKEN_ID, NODE: request }) => {
  const api = new ClusterApi(KUBECONFIG_CONTENT);
  await awaitRegisteredNode(api, request.name, request.timeoutSeconds);
  say(`${request.name} is registered`);
  const why = await revokeToken(api, TOKEN_ID);
  if (why !== undefined) say(`the join token of ${request.name} stays until it expires: ${why}`);
  if (await changeNode(api, request.name, (node) => withLabelsAndTaints(node, request))) {
    say(`the labels and taints of ${request.name} are set`);
  }
  await changeNode(api, request.name, (node) => withoutSuperseded(node, request.programs));
  if (await endUpgrade(api, request.name, request.timeoutSeconds)) {
    say(`${request.name} is upgraded and takes pods again`);
  }
});
