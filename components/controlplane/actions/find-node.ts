/**
 * Host action for a refresh: reports whether the node that its argument names is missing or has other labels or taints.
 * With `token` after the name, reports instead whether both the node and its bootstrap token are missing.
 */
import type { V1Node } from "@kubernetes/client-node";
import * as z from "zod";
import { messageOf } from "../../../host/failure.ts";
import { ApiError, ClusterApi } from "../../../host/kubernetes/cluster-api.ts";
import type { Finding } from "../../host-action/host-action.ts";
import { runAction, say, text } from "../../host-action/run-action.ts";
import { tokenId, tokenSecretPath } from "../join-token.ts";
import { withLabelsAndTaints } from "../labels-and-taints.ts";

const [name = "", subject] = process.argv.slice(2);

const node = z.object({
  labels: z.record(z.string(), z.string()),
  taints: z.array(z.object({ key: z.string(), value: z.string(), effect: z.string() })),
});

await (subject === "token"
  ? runAction({ KUBECONFIG_CONTENT: text, PULUMI_COMMAND_STDOUT: text }, (variables) =>
      inspect(variables.KUBECONFIG_CONTENT, async (api) => {
        const secret = tokenSecretPath(tokenId(variables.PULUMI_COMMAND_STDOUT));
        const found = (await findNode(api)) ?? (await api.find(secret));
        return found ? undefined : { gone: `there is neither the token nor the node ${name}` };
      }),
    )
  : runAction({ KUBECONFIG_CONTENT: text, NODE: node }, ({ KUBECONFIG_CONTENT, NODE }) =>
      inspect(KUBECONFIG_CONTENT, async (api) => {
        const found = await findNode(api);
        if (found === undefined) return { changed: `there is no node ${name}` };
        const isAsSet = withLabelsAndTaints(found, NODE) === undefined;
        return isAsSet ? undefined : { changed: `${name} has other labels or taints` };
      }),
    ));

function findNode(api: ClusterApi): Promise<V1Node | undefined> {
  return api.find(`/api/v1/nodes/${name}`);
}

/** Reports nothing if the cluster does not answer, because its content is unknown then. */
async function inspect(
  kubeconfig: string,
  find: (api: ClusterApi) => Promise<Finding | undefined>,
): Promise<Finding | undefined> {
  try {
    return await find(new ClusterApi(kubeconfig, 10));
  } catch (error) {
    if (error instanceof ApiError) throw error;
    say(`the cluster does not answer (${messageOf(error)})`);
    return undefined;
  }
}
