/** Host action: removes a kind cluster with all its containers, including Linux workers, if it still exists. */
import * as z from "zod";
import { loadBalancerName } from "../../../config/names.ts";
import { loadBalancerReference } from "../load-balancer.ts";
import { dropStandIn } from "./cluster-images.ts";
import { removeCluster, withCluster } from "./remove-cluster.ts";
import { runAction } from "../../host-action/run-action.ts";

export const environment = { CLUSTER: z.object({ name: z.string() }) };

await runAction(environment, async ({ CLUSTER: { name } }) => {
  await withCluster(name, async () => {
    const removed = await removeCluster(name);
    if (removed.includes(loadBalancerName(name))) {
      await dropStandIn(loadBalancerReference);
    }
  });
});
