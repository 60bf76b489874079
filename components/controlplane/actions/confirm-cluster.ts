/** Host action: checks that an existing cluster answers and is still the one that was examined. Changes nothing. */
import type { V1Namespace } from "@kubernetes/client-node";
import * as z from "zod";
import { runAction, say, text } from "../../host-action/run-action.ts";
import { ClusterApi } from "../../../host/kubernetes/cluster-api.ts";

export const environment = {
  KUBECONFIG_CONTENT: text,
  CLUSTER: z.strictObject({
    /** The uid of its namespace kube-system. */
    id: z.string(),
  }),
};

await runAction(environment, async ({ KUBECONFIG_CONTENT, CLUSTER: { id } }) => {
  const api = new ClusterApi(KUBECONFIG_CONTENT);
  const { metadata } = await api.get<V1Namespace>("/api/v1/namespaces/kube-system");
  if (metadata?.uid !== id) {
    throw new Error(
      `the kubeconfig leads to another cluster (${metadata?.uid ?? ""}) than the one that was examined (${id})`,
    );
  }
  say(`the cluster ${id} answers`);
});
