import { access, constants } from "node:fs/promises";
import os from "node:os";

import { hostFacts } from "../../preflight/host-facts.ts";
import { hostProblemText } from "../../config/host-problem.ts";
import { judge } from "../../preflight/judge.ts";
import { judgeConfinement } from "../../preflight/judge-confinement.ts";
import { builtArtifacts } from "../../toolchain/built.ts";
import { isAlive } from "../../toolchain/owner.ts";
import { readOwner } from "../../toolchain/cache-lock.ts";
import { lockFolder, runLockFile } from "../engine/folders.ts";
import { Failure, messageOf } from "../../host/failure.ts";
import { presentAccessFiles } from "../lab/access.ts";
import { ownershipOf } from "../lab/claim.ts";
import type { Ownership } from "../lab/claim.ts";
import { thisHost } from "../lab/host.ts";
import { surveyHost } from "../lab/survey.ts";
import { resourcesOf } from "../engine/deployment.ts";
import { judgeLock, readLocks } from "../recovery/locks.ts";
import { ownedThings } from "../recovery/owned-things.ts";
import { asleepOf } from "../recovery/wake.ts";
import type { Asleep, AsleepSeen } from "../recovery/wake.ts";
import { seenProcess } from "../recovery/seen-process.ts";
import { readStateFile, stacksWithState } from "../engine/state-file.ts";
import { knownStacks, labIdentity, stackSettings } from "../stack-settings.ts";
import { labNames } from "../../config/names.ts";
import type { LabNames } from "../../config/names.ts";
import { askLab, heartbeatsIn, judgeLab } from "./examine-lab.ts";
import type { Finding } from "./finding.ts";
import { sortLeftovers } from "./left-over.ts";
import type { Leftovers } from "./left-over.ts";
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
  /** What the stack's lab, which is up, has on this host and what does not run. */
  readonly asleep: readonly Asleep[];
  /** What is wrong in that lab though it runs: certificates, clocks, nodes, joins. */
  readonly findings: readonly Finding[];
  /** When each node of that lab was heard of last, by its own clock. */
  readonly heartbeats: Readonly<Record<string, Date>>;
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
  // What stands still while somebody works on it does so for a reason.
  const up = states.up.has(stack) && !busy;
  const { asleep, inside } = up
    ? await lookIntoLab(stack, lab, identity.libvirtUri)
    : { asleep: nothingAsleep, inside: nothingInside };
  const leftovers = sortLeftovers(survey.things, {
    own: lab,
    busy: new Set([...states.busy, ...states.unreadable]),
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
      ...states.problems,
      ...survey.blind.map(({ kind, reason }) => `cannot look for each ${kind}: ${reason}`),
      ...asleep.blind
        // A daemon that does not answer is told of once: by what the survey could not look for.
        .filter(({ reason }) => !survey.blind.some((each) => each.reason === reason))
        .map(({ kind, reason }) => `cannot see whether each ${kind} runs: ${reason}`),
      ...inside.problems,
    ],
    leftovers,
    asleep: asleep.asleep,
    findings: inside.findings,
    heartbeats: inside.heartbeats,
    staleFiles:
      states.up.has(stack) || busy || states.unreadable.has(lab)
        ? []
        : await presentAccessFiles(stack),
    busy,
  };
}

/** What of a lab that is up stands still, and what is wrong in it. */
export async function lookIntoLab(
  stack: string,
  lab: string,
  libvirtUri: string,
): Promise<{ readonly asleep: AsleepSeen; readonly inside: Inside }> {
  const [asleep, inside] = await Promise.all([
    asleepOf(lab, thisHost(libvirtUri)),
    insideLab(stack, lab, libvirtUri),
  ]);
  return { asleep, inside };
}

const nothingAsleep: AsleepSeen = { asleep: [], blind: [] };

/** What is seen inside of a lab, and why it could not be. */
export type Inside = Pick<Diagnosis, "findings" | "heartbeats" | "problems">;

const nothingInside: Inside = { findings: [], heartbeats: {}, problems: [] };

/** A state that cannot be read is a problem, and no reason to say nothing else. */
async function insideLab(stack: string, lab: string, libvirtUri: string): Promise<Inside> {
  try {
    const answers = await askLab(stack, lab, thisHost(libvirtUri));
    const heartbeats = Object.fromEntries(heartbeatsIn(answers));
    return { findings: judgeLab(answers), heartbeats, problems: [] };
  } catch (error) {
    return { ...nothingInside, problems: [`cannot look into the lab ${lab}: ${messageOf(error)}`] };
  }
}

async function hostProblems(
  stack: string,
): Promise<{ readonly present: readonly Present[]; readonly problems: readonly string[] }> {
  try {
    const settings = await stackSettings(stack);
    const facts = await hostFacts(settings);
    return {
      present: presentOn(facts, process.version),
      problems: [...judge(settings, facts), ...judgeConfinement(settings, facts)].map(
        hostProblemText,
      ),
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
  /** Labs of which nobody knows what they own. */
  readonly unreadable: ReadonlySet<string>;
  /** States and settings that cannot be read. */
  readonly problems: readonly string[];
}> {
  const problems: string[] = [];
  const unreadable = new Set<string>();
  const owned = new Set<string>();
  const labs = new Set<string>();
  const up = new Set<string>();
  const busy = new Set<string>();
  const known = await knownStacks();
  for (const stack of await stacksWithState()) {
    const before = new Set(labs);
    try {
      const names = known.includes(stack) ? await namesOf(stack) : labNames(stack);
      labs.add(names.prefix);
      if (await isBusy(stack)) {
        busy.add(names.prefix);
      }
      const state = await readStateFile(stack);
      const resources = state === undefined ? [] : resourcesOf(state);
      if (resources.length > 0) {
        up.add(stack);
      }
      for (const { identity } of ownedThings(resources)) {
        owned.add(identity);
      }
    } catch (error) {
      // What a state owns that cannot be read is not known, so none of it counts as left over.
      unreadable.add(labNames(stack).prefix);
      for (const name of labs) if (!before.has(name)) unreadable.add(name);
      problems.push(`the state of the stack ${stack} cannot be read: ${messageOf(error)}`);
    }
  }
  return { owned, labs, up, busy, unreadable, problems };
}

/** Names of a stack's lab. A stack that is no lab has a state too, and nothing on this host is called by its name. */
async function namesOf(stack: string): Promise<LabNames> {
  try {
    return (await labIdentity(stack)).names;
  } catch (error) {
    if (error instanceof Failure) {
      return labNames(stack);
    }
    throw error;
  }
}

async function isBusy(stack: string): Promise<boolean> {
  const owner = await readOwner(runLockFile(stack));
  // The doctor itself, where it repairs.
  const other = owner?.pid === process.pid ? undefined : owner;
  if (other !== undefined && (await isAlive(other))) {
    return true;
  }
  const locks = await readLocks(lockFolder(stack), os.hostname());
  const verdicts = await Promise.all(
    locks.map(async (lock) => judgeLock(lock, os.hostname(), await seenProcess(lock.pid))),
  );
  return verdicts.includes("alive");
}

/** Tools that `kindows prepare` has put in place, and those that are missing. */
interface PreparedTools {
  readonly present: readonly Present[];
  /** One line for each problem. */
  readonly problems: readonly string[];
}

/** Looks at the tools of this clone. */
async function preparedTools(): Promise<PreparedTools> {
  let tools: Readonly<Record<string, string>>;
  try {
    tools = builtArtifacts().tools;
  } catch (error) {
    return { present: [], problems: [messageOf(error)] };
  }
  const looked = await Promise.all(
    Object.entries(tools).map(async ([what, detail]) => ({
      what,
      detail,
      there: await access(detail, constants.X_OK).then(
        () => true,
        () => false,
      ),
    })),
  );
  return {
    present: looked.filter(({ there }) => there).map(({ what, detail }) => ({ what, detail })),
    problems: looked
      .filter(({ there }) => !there)
      .map(({ what, detail }) => `the tool ${what} is gone (${detail}): run \`kindows prepare\``),
  };
}
