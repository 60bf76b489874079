/**
 * Host action: prints the API server's `address` and `port`. This is the address that an API server advertises, so its
 * certificate contains it, unlike that of a load balancer.
 */
import { ClusterApi } from "../../../kubernetes/cluster-api.ts";
import {
  publishedAddress,
  readEndpointSlices,
} from "../../controlplane/actions/endpoint-slices.ts";
import { waitUntil } from "../../../host/wait-until.ts";
import { runAction, say, text } from "../../host-action/run-action.ts";

/** Longest wait for a starting API server to publish its address, in seconds. */
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
