/**
 * Host action: prints where the API server is, its `address` and `port`: the address that one of the
 * API servers itself gives out, and which is therefore in its certificate. The name in front of several is not, as an
 * address.
 */
import { ClusterApi } from "../../../kubernetes/cluster-api.ts";
import { readEndpointSlices } from "../../controlplane/actions/endpoint-slices.ts";
import { waitUntil } from "../../../host/wait-until.ts";
import { runAction, say, text } from "../../host-action/run-action.ts";
import { publishedAddress } from "../published-address.ts";

/** Longest wait for an API server that just started to write its address down, in seconds. */
const timeoutSeconds = 60;

const service = "kubernetes.io/service-name=kubernetes";

export const environment = { KUBECONFIG_CONTENT: text };

await runAction(environment, ({ KUBECONFIG_CONTENT }) => {
  const api = new ClusterApi(KUBECONFIG_CONTENT);
  return waitUntil(
    { what: "the API server's own address", timeoutSeconds, onChange: say },
    async () => {
      const address = publishedAddress(await readEndpointSlices(api, "default", service));
      return address === undefined ? "none written down yet" : { found: address };
    },
  );
});
