import { setTimeout as sleep } from "node:timers/promises";

import { clusterLabel } from "../../../config/names.ts";
import { labelledContainers, removeContainers } from "../../../host/docker.ts";
import { say } from "../../host-action/run-action.ts";
import { type Look, waitUntil } from "../../../host/wait-until.ts";

/** Longest wait for a cluster's containers to go, in seconds. */
const timeoutSeconds = 180;

/** A `docker run` whose caller was killed finishes by itself within this time, in milliseconds. */
const settleMilliseconds = 1500;

/** Removes all containers of a kind cluster with their volumes, and returns their names; fine when there are none. */
export async function removeCluster(name: string): Promise<readonly string[]> {
  const removed: string[] = [];
  return waitUntil(
    { what: `the containers of ${name} to go`, timeoutSeconds, pollMilliseconds: 0 },
    async (): Promise<Look<readonly string[]>> => {
      const present = await labelledContainers(`${clusterLabel}=${name}`);
      if (present.length === 0) {
        return { found: removed };
      }
      removed.push(...present);
      say(`removing ${present.join(", ")}`);
      await removeContainers(present);
      // Seen again: a container may have been on its way.
      await sleep(settleMilliseconds);
      return present.join(", ");
    },
  );
}
