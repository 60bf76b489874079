import os from "node:os";

import { hostFacts } from "../../config/preflight/host-facts.ts";
import { hostProblemText } from "../../config/preflight/host-problem.ts";
import { judge } from "../../config/preflight/judge.ts";
import { isAlive } from "../../toolchain/owner.ts";
import { readOwner } from "../../toolchain/cache-lock.ts";
import { lockFolder, runLockFile } from "../engine/folders.ts";
import { messageOf } from "../failure.ts";
import { presentAccessFiles } from "../lab/access.ts";
import { ownershipOf } from "../lab/claim.ts";
import type { Ownership } from "../lab/claim.ts";
import { thisHost } from "../lab/host.ts";
import { surveyHost } from "../lab/survey.ts";
import { resourcesOf } from "../recovery/deployment.ts";
import { judgeLock, readLocks } from "../recovery/locks.ts";
import { ownedThings } from "../recovery/owned-things.ts";
import { seenProcess } from "../recovery/seen-process.ts";
import { readStateFile, stacksWithState } from "../recovery/state-file.ts";
import { knownStacks, labIdentity, stackSettings } from "../stack-settings.ts";
import { labNames } from "../../config/names.ts";
import { sortLeftovers } from "./left-over.ts";
import type { Leftovers } from "./left-over.ts";
import { preparedTools } from "./prepared-tools.ts";
import { presentOn } from "./present.ts";
import type { Present } from "./present.ts";

/** What `kindows doctor` finds out. */
export interface Diagnosis {
  readonly stack: string;
  readonly lab: string;
  readonly present: readonly Present[];
  /** What is in the way of the stack, one line each. */
  readonly problems: readonly string[];
  readonly leftovers: Leftovers;
  /** Files with which people reached a lab that is not up any more. */
  readonly staleFiles: readonly string[];
  /** A run works on the stack right now. */
  readonly busy: boolean;
}

/** Looks at this host with a stack in mind; changes nothing. */
export async function examine(stack: string): Promise<Diagnosis> {
  const identity = await labIdentity(stack);
  const lab = identity.names.prefix;
  const [host, tools, survey, states] = await Promise.all([
    hostProblems(stack),
    preparedTools(),
    surveyHost(thisHost(identity.libvirtUri)),
    statesOfProject(),
  ]);
  const busy = states.busy.has(lab);
  const labs = new Set(survey.things.map((thing) => thing.lab));
  const ownerships = new Map<string, Ownership>();
  for (const each of labs) {
    ownerships.set(each, await ownershipOf(each, stack));
  }
  const leftovers = sortLeftovers(survey.things, {
    own: lab,
    busy: states.busy,
    owned: states.owned,
    siblings: states.labs,
    ownershipOf: (each) => ownerships.get(each) ?? { kind: "unclaimed" },
  });
  return {
    stack,
    lab,
    present: [...host.present, ...tools.present],
    problems: [
      ...host.problems,
      ...tools.problems,
      ...survey.blind.map(({ kind, reason }) => `cannot look for each ${kind}: ${reason}`),
    ],
    leftovers,
    staleFiles: states.up.has(stack) || busy ? [] : await presentAccessFiles(stack),
    busy,
  };
}

async function hostProblems(
  stack: string,
): Promise<{ readonly present: readonly Present[]; readonly problems: readonly string[] }> {
  try {
    const settings = await stackSettings(stack);
    const facts = await hostFacts(settings);
    return {
      present: presentOn(facts, process.version),
      problems: judge(settings, facts).map(hostProblemText),
    };
  } catch (error) {
    return { present: [], problems: [messageOf(error)] };
  }
}

/** What this project's stacks own, the labs they are, which of them are up and which are worked on. */
async function statesOfProject(): Promise<{
  readonly owned: ReadonlySet<string>;
  readonly labs: ReadonlySet<string>;
  readonly up: ReadonlySet<string>;
  readonly busy: ReadonlySet<string>;
}> {
  const owned = new Set<string>();
  const labs = new Set<string>();
  const up = new Set<string>();
  const busy = new Set<string>();
  const known = await knownStacks();
  for (const stack of await stacksWithState()) {
    const state = await readStateFile(stack);
    const resources = state === undefined ? [] : resourcesOf(state);
    if (resources.length > 0) {
      up.add(stack);
    }
    for (const { identity } of ownedThings(resources)) {
      owned.add(identity);
    }
    const names = known.includes(stack) ? (await labIdentity(stack)).names : labNames(stack);
    labs.add(names.prefix);
    if (await isBusy(stack)) {
      busy.add(names.prefix);
    }
  }
  return { owned, labs, up, busy };
}

async function isBusy(stack: string): Promise<boolean> {
  const owner = await readOwner(runLockFile(stack));
  if (owner !== undefined && (await isAlive(owner))) {
    return true;
  }
  const locks = await readLocks(lockFolder(stack), os.hostname());
  const verdicts = await Promise.all(
    locks.map(async (lock) => judgeLock(lock, os.hostname(), await seenProcess(lock.pid))),
  );
  return verdicts.includes("alive");
}
