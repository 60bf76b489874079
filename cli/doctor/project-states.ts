import os from "node:os";
import { labNames } from "../../config/names.ts";
import { Failure, messageOf } from "../../host/failure.ts";
import { readOwner } from "../../toolchain/cache-lock.ts";
import { isAlive } from "../../toolchain/owner.ts";
import { resourcesOf } from "../engine/deployment.ts";
import { lockFolder } from "../engine/folders.ts";
import { runLockFile } from "../engine/run-lock.ts";
import { readState, stacksWithState } from "../engine/states.ts";
import { ownedIdentities } from "../host-resources/host-resources.ts";
import { checkLock, readLocks, seenProcess } from "../recovery/locks.ts";
import { knownStacks, labIdentity } from "../stack-settings.ts";

/** What the states of all of this project's stacks say about this host. */
export interface ProjectStates {
  /** Identities of what is in the state of any stack. */
  readonly owned: ReadonlySet<string>;
  readonly labs: ReadonlySet<string>;
  /** Stacks that have anything. */
  readonly up: ReadonlySet<string>;
  /** Labs that a run is working on. */
  readonly busy: ReadonlySet<string>;
  /** Labs whose state cannot be read. What they own is unknown, so none of their resources counts as orphaned. */
  readonly unreadable: ReadonlySet<string>;
  readonly problems: readonly string[];
}

export async function statesOfProject(): Promise<ProjectStates> {
  const problems: string[] = [];
  const unreadable = new Set<string>();
  const owned = new Set<string>();
  const labs = new Set<string>();
  const up = new Set<string>();
  const busy = new Set<string>();
  const known = await knownStacks();
  let stacks: Iterable<string> = [];
  try {
    stacks = (await stacksWithState()).keys();
  } catch (error) {
    problems.push(messageOf(error));
    for (const stack of known) unreadable.add(await labOf(stack));
  }
  for (const stack of stacks) {
    const usual = labNames(stack).prefix;
    let lab = usual;
    try {
      if (known.includes(stack)) lab = await labOf(stack);
      labs.add(lab);
      if (await isBusy(stack)) busy.add(lab);
      const resources = resourcesOf(await readState(stack));
      if (resources.length > 0) up.add(stack);
      for (const identity of ownedIdentities(resources)) owned.add(identity);
    } catch (error) {
      unreadable.add(usual).add(lab);
      problems.push(`the state of the stack ${stack} cannot be read: ${messageOf(error)}`);
    }
  }
  return { owned, labs, up, busy, unreadable, problems };
}

/** Prefix of a stack's lab. A stack of existing machines has a state too, but nothing on this host has its prefix. */
async function labOf(stack: string): Promise<string> {
  try {
    return (await labIdentity(stack)).lab;
  } catch (error) {
    if (error instanceof Failure) return labNames(stack).prefix;
    throw error;
  }
}

async function isBusy(stack: string): Promise<boolean> {
  const owner = await readOwner(runLockFile(stack));
  // The doctor itself holds the lock while it repairs.
  const other = owner?.pid === process.pid ? undefined : owner;
  if (other !== undefined && (await isAlive(other))) return true;
  const locks = await readLocks(lockFolder(stack), os.hostname());
  const verdicts = await Promise.all(
    locks.map(async (lock) => checkLock(lock, os.hostname(), await seenProcess(lock.pid))),
  );
  return verdicts.includes("alive");
}
