/**
 * Host action: prints where the API server is, as a JSON object of `address` and `port`: the address that one of the
 * API servers itself gives out, and which is therefore in its certificate. The name in front of several is not, as an
 * address.
 *
 * Environment: KUBECONFIG_CONTENT (secret), the cluster's admin kubeconfig.
 */
import type { V1EndpointSliceList } from "@kubernetes/client-node";

import { ClusterApi } from "../../controlplane/actions/cluster-api.ts";
import { waitFor } from "../../controlplane/actions/wait.ts";
import { textParameter } from "../../host-action/environment.ts";
import { runAction, say } from "../../host-action/run-action.ts";
import { publishedAddress } from "../published-address.ts";

/** Longest wait for an API server that just started to write its address down, in seconds. */
const timeoutSeconds = 60;

const slices =
  "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dkubernetes";

await runAction(async () => {
  const api = new ClusterApi(textParameter("KUBECONFIG_CONTENT"));
  const found = await waitFor(
    { what: "the API server's own address", timeoutSeconds, onChange: say },
    async () => {
      const address = publishedAddress(await api.get<V1EndpointSliceList>(slices));
      return address === undefined ? { seen: "none written down yet" } : { found: address };
    },
  );
  process.stdout.write(JSON.stringify(found));
});
