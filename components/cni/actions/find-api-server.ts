/**
 * Host action: prints `address` and `port` of an API server. The address is the one that the server itself advertises,
 * because its certificate contains that, and not the address of a load balancer.
 */
import { ClusterApi } from "../../../host/kubernetes/cluster-api.ts";
import { publishedAddress, readEndpointSlices } from "../../../host/kubernetes/endpoint-slices.ts";
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
      return address === undefined ? "not published yet" : { found: address };
    },
  );
});
