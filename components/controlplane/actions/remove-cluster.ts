import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { clusterLabel } from "../../../config/names.ts";
import { labelledContainers, removeContainers } from "../../../host/docker.ts";
import { withLock } from "../../../toolchain/cache-lock.ts";
import { say } from "../../host-action/run-action.ts";
import { keptFolder } from "../../own-files.ts";
import { type Look, waitUntil } from "../../../host/wait-until.ts";

/** Time limit of `kind create cluster`, in seconds; enough for three control planes on a slow machine. */
export const createTimeoutSeconds = 900;

const timeoutSeconds = 180;

/** A `docker run` whose caller was killed finishes by itself within this time, in milliseconds. */
const settleMilliseconds = 1500;

/** Removes all containers of a kind cluster with their volumes. @returns their names; empty if there were none */
export async function removeCluster(name: string): Promise<readonly string[]> {
  const removed: string[] = [];
  return waitUntil(
    { what: `the containers of ${name} to be removed`, timeoutSeconds, pollMilliseconds: 0 },
    async (): Promise<Look<readonly string[]>> => {
      const present = await labelledContainers(`${clusterLabel}=${name}`);
      if (present.length === 0) return { found: removed };
      removed.push(...present);
      say(`removing ${present.join(", ")}`);
      await removeContainers(present);
      // A killed `docker run` may still create a container, so the list is read again.
      await sleep(settleMilliseconds);
      return present.join(", ");
    },
  );
}

/**
 * Runs `work` while no other process on this host works on the cluster. Another one is waited for as long as creating a
 * cluster may take; one that is left of a killed run ends by itself within seconds.
 */
export function withCluster<T>(name: string, work: () => Promise<T>): Promise<T> {
  return withLock(
    path.join(keptFolder("locks"), `${name}.lock`),
    createTimeoutSeconds,
    work,
    (owner) => say(`process ${owner.pid} is working on this cluster: waiting for it`),
  );
}
