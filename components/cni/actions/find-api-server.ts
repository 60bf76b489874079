/**
 * Host action: prints where the API server is, as a JSON object of `address` and `port`: the address that one of the
 * API servers itself gives out, and which is therefore in its certificate. The name in front of several is not, as an
 * address.
 *
 * Environment: KUBECONFIG_CONTENT (secret), the cluster's admin kubeconfig.
 */
import { ClusterApi } from "../../../kubernetes/cluster-api.ts";
import { readEndpointSlices } from "../../controlplane/actions/endpoint-slices.ts";
import { waitUntil } from "../../../host/wait-until.ts";
import { textParameter } from "../../host-action/environment.ts";
import { runAction, say } from "../../host-action/run-action.ts";
import { publishedAddress } from "../published-address.ts";

/** Longest wait for an API server that just started to write its address down, in seconds. */
const timeoutSeconds = 60;

const service = "kubernetes.io/service-name=kubernetes";

await runAction(async () => {
  const api = new ClusterApi(textParameter("KUBECONFIG_CONTENT"));
  const found = await waitUntil(
    { what: "the API server's own address", timeoutSeconds, onChange: say },
    async () => {
      const address = publishedAddress(await readEndpointSlices(api, "default", service));
      return address === undefined ? "none written down yet" : { found: address };
    },
  );
  process.stdout.write(JSON.stringify(found));
});
