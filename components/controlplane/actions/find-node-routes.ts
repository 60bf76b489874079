/**
 * Host action: prints the ways to Linux nodes' pods and to Services, as a JSON list of `range` and `nextHop`.
 *
 * Environment: KUBECONFIG_CONTENT (secret), the cluster's admin kubeconfig; ROUTED, a JSON object of `nodes` (names of
 * Linux nodes, the first of which is the way to Services) and `serviceCidr`.
 */
import type { V1NodeList } from "@kubernetes/client-node";

import { textParameter } from "../../host-action/environment.ts";
import { runAction, say } from "../../host-action/run-action.ts";
import { nodeRoutes, type RoutedCluster } from "../node-routes.ts";
import { ClusterApi } from "../../../kubernetes/cluster-api.ts";
import { waitUntil } from "../../../host/wait-until.ts";

/** Longest wait for nodes that have joined to get their pods' ranges, in seconds. */
const timeoutSeconds = 60;

await runAction(async () => {
  const api = new ClusterApi(textParameter("KUBECONFIG_CONTENT"));
  const routed = JSON.parse(textParameter("ROUTED")) as RoutedCluster;
  const found = await waitUntil(
    { what: "the Linux nodes' addresses and pods' ranges", timeoutSeconds, onChange: say },
    async () => {
      const ways = nodeRoutes(routed, (await api.get<V1NodeList>("/api/v1/nodes")).items);
      return "routes" in ways ? { found: ways.routes } : `none known yet of ${ways.missing}`;
    },
  );
  process.stdout.write(JSON.stringify(found));
});
