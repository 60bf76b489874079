/**
 * Host action: removes a kind cluster with all its containers, Linux workers too; fine when it is gone already.
 *
 * Environment: CLUSTER, a JSON object with `name`.
 */
import path from "node:path";
import { z } from "zod";

import { withLock } from "../../../toolchain/cache-lock.ts";
import { localFolder } from "../../../toolchain/project.ts";
import { parameter } from "../action-environment.ts";
import { clusterContainers, removeContainers } from "./docker.ts";
import { runAction, say } from "./run-action.ts";
import { waitFor } from "./wait.ts";

/** A process of a killed run ends by itself within seconds; one of a living run is waited for as long as it may take. */
const lockTimeoutSeconds = 900;

await runAction(async () => {
  const { name } = parameter("CLUSTER", z.looseObject({ name: z.string() }));
  await withLock(
    path.join(localFolder, "locks", `${name}.lock`),
    {
      timeoutSeconds: lockTimeoutSeconds,
      pollMilliseconds: 500,
      onWait: (owner) => say(`process ${owner.pid} is making this cluster: waiting for it`),
    },
    async () => {
      // Twice: a `docker run` that was under way when its caller died may still finish.
      await waitFor({ what: `the containers of ${name} to go`, timeoutSeconds: 120 }, async () => {
        const present = await clusterContainers(name);
        if (present.length === 0) {
          return { found: true };
        }
        say(`removing ${present.join(", ")}`);
        await removeContainers(present);
        return { seen: present.join(", ") };
      });
    },
  );
});
