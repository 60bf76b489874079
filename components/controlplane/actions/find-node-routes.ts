/** Host action: prints the routes to Linux nodes' pods and to Services, as a list of `range` and `nextHop`. */
import type { V1NodeList } from "@kubernetes/client-node";
import { runAction, say, text } from "../../host-action/run-action.ts";
import { nodeRoutes, routedSchema } from "../node-routes.ts";
import { ClusterApi } from "../../../host/kubernetes/cluster-api.ts";
import { waitUntil } from "../../../host/wait-until.ts";

/** Longest wait until the joined nodes have their pod ranges, in seconds. */
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
