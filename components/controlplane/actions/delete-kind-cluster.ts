/** Host action: removes a kind cluster with all its containers, Linux workers too; fine when it is gone already. */
import path from "node:path";
import * as z from "zod";

import { withLock } from "../../../toolchain/cache-lock.ts";
import { loadBalancerName } from "../../../config/names.ts";
import { dropStandIn } from "./cluster-images.ts";
import { removeCluster } from "./remove-cluster.ts";
import { keptFolder } from "../../own-files.ts";
import { runAction, say } from "../../host-action/run-action.ts";

/** A process of a killed run ends by itself within seconds; one of a living run is waited for as long as it may take. */
const lockTimeoutSeconds = 900;

export const environment = { CLUSTER: z.object({ name: z.string() }) };

await runAction(environment, async ({ CLUSTER: { name } }) => {
  await withLock(
    path.join(keptFolder("locks"), `${name}.lock`),
    {
      timeoutSeconds: lockTimeoutSeconds,
      pollMilliseconds: 500,
      onWait: (owner) => say(`process ${owner.pid} is making this cluster: waiting for it`),
    },
    async () => {
      const removed = await removeCluster(name);
      if (removed.includes(loadBalancerName(name))) {
        await dropStandIn();
      }
    },
  );
});
