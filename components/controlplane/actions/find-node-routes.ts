/** Host action: prints the ways to Linux nodes' pods and to Services, a list of `range` and `nextHop`. */
import type { V1NodeList } from "@kubernetes/client-node";
import { runAction, say, text } from "../../host-action/run-action.ts";
import { nodeRoutes, routedSchema } from "../node-routes.ts";
import { ClusterApi } from "../../../kubernetes/cluster-api.ts";
import { waitUntil } from "../../../host/wait-until.ts";

/** Longest wait for nodes that have joined to get their pods' ranges, in seconds. */
const timeoutSeconds = 60;

export const environment = {
  KUBECONFIG_CONTENT: text,
  ROUTED: routedSchema,
};

await runAction(environment, ({ KUBECONFIG_CONTENT, ROUTED: routed }) => {
  const api = new ClusterApi(KUBECONFIG_CONTENT);
  return waitUntil(
    { what: "the Linux nodes' addresses and pods' ranges", timeoutSeconds, onChange: say },
    async () => nodeRoutes(routed, (await api.get<V1NodeList>("/api/v1/nodes")).items),
  );
});
