/**
 * Host action: sees to it that a cluster which was there before answers, and is still the one that was looked at.
 * Changes nothing.
 *
 * Environment: KUBECONFIG_CONTENT (secret); CLUSTER, a JSON object of `id`, the uid of its namespace kube-system.
 */
import type { V1Namespace } from "@kubernetes/client-node";
import * as z from "zod";

import { parameter, textParameter } from "../../host-action/environment.ts";
import { runAction, say } from "../../host-action/run-action.ts";
import { ClusterApi } from "../../../kubernetes/cluster-api.ts";

await runAction(async () => {
  const { id } = parameter("CLUSTER", z.strictObject({ id: z.string() }));
  const api = new ClusterApi(textParameter("KUBECONFIG_CONTENT"));
  const { metadata } = await api.get<V1Namespace>("/api/v1/namespaces/kube-system");
  if (metadata?.uid !== id) {
    throw new Error(
      `the kubeconfig leads to another cluster (${metadata?.uid ?? ""}) than the one that was looked at (${id})`,
    );
  }
  say(`the cluster ${id} answers`);
});
