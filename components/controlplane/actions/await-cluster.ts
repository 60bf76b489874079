/**
 * Host action: waits until the control planes and all pods of kube-system on them are ready, and prints the control
 * planes' names.
 */
import type { V1PodList } from "@kubernetes/client-node";
import * as z from "zod";
import { isReady, podProgress } from "../../../host/kubernetes/pod-state.ts";
import { awaitReadyNode } from "./node-waits.ts";
import { ClusterApi } from "../../../host/kubernetes/cluster-api.ts";
import { runAction, say, text } from "../../host-action/run-action.ts";
import { waitUntil } from "../../../host/wait-until.ts";

export const environment = {
  KUBECONFIG_CONTENT: text,
  CLUSTER: z.strictObject({
    controlPlanes: z.array(z.string()),
    timeoutSeconds: z.number().positive(),
  }),
};

await runAction(environment, async ({ KUBECONFIG_CONTENT, CLUSTER: request }) => {
  const api = new ClusterApi(KUBECONFIG_CONTENT);
  for (const name of request.controlPlanes) {
    await awaitReadyNode(api, name, request.timeoutSeconds);
  }
  const options = {
    what: "the cluster's own pods to be ready",
    timeoutSeconds: request.timeoutSeconds,
    onChange: say,
  };
  await waitUntil(options, async () => {
    const { items } = await api.get<V1PodList>("/api/v1/namespaces/kube-system/pods");
    // Pods on other nodes are not waited for; pods that no node has yet are.
    const ours = items.filter(
      (pod) => !pod.spec?.nodeName || request.controlPlanes.includes(pod.spec.nodeName),
    );
    const missing = ours.filter((pod) => !isReady(pod)).map((pod) => podProgress(pod));
    if (ours.length === 0) return "no pods yet";
    return missing.length === 0 ? undefined : `not ready: ${missing.join("; ")}`;
  });
  return request.controlPlanes;
});
