import os from "node:os";

import { goneElsewhere } from "../../components/machine/machine-makers.ts";
import { projectName } from "../engine/folders.ts";
import type { Pulumi } from "../engine/pulumi.ts";
import { Failure, exitCodes, messageOf } from "../../host/failure.ts";
import type { Host } from "../../host/host.ts";
import { processes } from "../host-resources/processes.ts";
import { surveyHost, type CleanupScope } from "../host-resources/host-resources.ts";
import { startStopped } from "../host-resources/stopped.ts";
import { type Extent, resourcesOf, type StateResource } from "../engine/deployment.ts";
import { checkLock, readLocks, seenProcess, locksInMessage, type EngineLock } from "./locks.ts";
import { repairState } from "./repair.ts";

interface Recovery {
  readonly pulumi: Pulumi;
  readonly host: Host;
  readonly lab: string;
  /** URNs of resources on unreachable hypervisors, which are left as they are. */
  readonly unreachable?: readonly string[];
  readonly extent: Extent;
  readonly say: (line: string) => void;
}

/**
 * Recovers a stack before an operation: ends the processes of a killed run, removes its lock, starts what is stopped,
 * and makes the state match the host.
 *
 * @returns the scope of a later cleanup of the host, with the survey of the host, and the resources in the state.
 */
export async function recoverState(
  recovery: Recovery,
): Promise<{ readonly scope: CleanupScope; readonly resources: readonly StateResource[] }> {
  const { pulumi, host, lab, extent, say } = recovery;
  const unreachable = new Set(recovery.unreachable);
  const stale = (await processes.find(host)).filter((thing) => thing.lab === lab);
  await Promise.all(stale.map((thing) => processes.remove(thing, host)));
  if (stale.length > 0) say(`ended ${stale.length} process(es) of a run that was killed`);
  await releaseLock(pulumi, say);
  await startStopped(lab, host, extent === "built-on" ? "all" : "needed to remove", say);

  const survey = await surveyHost(host);
  const things = survey.found.filter((thing) => thing.lab === lab);
  const before = await pulumi.exportState();
  // Not needed before a removal, which tolerates missing machines.
  const elsewhere = extent === "built-on" ? await goneElsewhere(resourcesOf(before), say) : [];
  const observed = { things, unlisted: survey.unlisted, unreachable, goneElsewhere: elsewhere };
  const repair = repairState(before, observed, extent);
  if (repair.notes.length > 0) {
    await pulumi.importState(repair.deployment);
    repair.notes.forEach(say);
  }
  const resources = resourcesOf(repair.deployment);
  return { scope: { lab, owned: repair.owned, survey }, resources };
}

async function releaseLock(pulumi: Pulumi, say: (line: string) => void): Promise<void> {
  const { backend, lockFolder } = pulumi.workplace;
  const locks = await (backend === undefined
    ? readLocks(lockFolder, os.hostname())
    : locksInTheWay(pulumi, backend));
  if (locks.length === 0) return;
  for (const lock of locks) {
    const { pid, username, hostname, timestamp } = lock;
    const verdict = checkLock(lock, os.hostname(), await seenProcess(pid));
    if (verdict === "dead") continue;
    throw new Failure(
      verdict === "alive"
        ? `pulumi (process ${pid} of ${username}) works on the stack ${pulumi.stack} since ` +
            `${timestamp.toISOString()}: wait for it, or end it with \`kill -INT ${pid}\``
        : `the stack ${pulumi.stack} is locked by ${username}@${hostname} (process ${pid}), which this ` +
            `host cannot see: if that run is over, remove the lock with \`pulumi cancel --stack ${pulumi.stack}\``,
      exitCodes.busy,
    );
  }
  await pulumi.state(["cancel", "--yes"]);
  say("removed the lock of a run that was killed");
}

/**
 * Locks of a stack in the user's own backend. Only an operation reports them, so this refreshes a resource that does
 * not exist. Pulumi Cloud is left out: it has no such locks, and would list the refresh in the stack's history.
 */
async function locksInTheWay(pulumi: Pulumi, backend: string): Promise<readonly EngineLock[]> {
  if (/^https?:/.test(backend)) return [];
  const unknownUrn = `urn:pulumi:${pulumi.stack}::${projectName}::no:such:Thing::nothing`;
  const refresh = ["refresh", "--yes", "--skip-preview", "--run-program=false"];
  return pulumi.state([...refresh, "--target", unknownUrn]).then(
    () => [],
    (error: unknown) => locksInMessage(messageOf(error)),
  );
}
