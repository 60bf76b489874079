import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { clusterLabel } from "../../../config/names.ts";
import { labelledContainers, removeContainers } from "../../../host/docker.ts";
import { withLock } from "../../../toolchain/cache-lock.ts";
import { say } from "../../host-action/run-action.ts";
import { keptFolder } from "../../own-files.ts";
import { type Look, waitUntil } from "../../../host/wait-until.ts";

/** Longest `kind create cluster` may take, in seconds: three control planes on a slow machine. */
export const createTimeoutSeconds = 900;

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
      if (present.length === 0) return { found: removed };
      removed.push(...present);
      say(`removing ${present.join(", ")}`);
      await removeContainers(present);
      // Seen again: a container may have been on its way.
      await sleep(settleMilliseconds);
      return present.join(", ");
    },
  );
}

/**
 * Works on a cluster while nobody else on this host does. A process of a killed run ends by itself within seconds; one of a
 * living run is waited for as long as it may take.
 */
export function withCluster<T>(name: string, work: () => Promise<T>): Promise<T> {
  return withLock(
    path.join(keptFolder("locks"), `${name}.lock`),
    createTimeoutSeconds,
    work,
    (owner) => say(`process ${owner.pid} is making this cluster: waiting for it`),
  );
}
