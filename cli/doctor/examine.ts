import os from "node:os";

import { hostProblemText } from "../../config/host-problem.ts";
import { labNames } from "../../config/names.ts";
import { Failure, messageOf } from "../../host/failure.ts";
import { hostFacts, type HostFacts } from "../../stacks/host-facts.ts";
import { checkHost } from "../../stacks/host-checks.ts";
import { checkConfinement } from "../../components/machine/libvirt/confinement.ts";
import { builtArtifacts } from "../../toolchain/built.ts";
import { readOwner } from "../../toolchain/cache-lock.ts";
import { isAlive } from "../../toolchain/owner.ts";
import { resourcesOf } from "../engine/deployment.ts";
import { lockFolder } from "../engine/folders.ts";
import { runLockFile } from "../engine/run-lock.ts";
import { readState, stacksWithState } from "../engine/states.ts";
import {
  byHandOf,
  ownedIdentities,
  surveyHost,
  type Survey,
} from "../host-resources/host-resources.ts";
import type { HostResource } from "../../components/host-resource.ts";
import { readableDisks } from "../../components/machine/libvirt/storage.ts";
import { stoppedOf, type StoppedResource } from "../host-resources/stopped.ts";
import { labsElsewhere } from "../lab/claim.ts";
import { foreignAmong, proofOf } from "../lab/proof.ts";
import { isExecutable } from "../../host/search-path.ts";
import { thisHost, type Host } from "../../host/host.ts";
import { checkLock, readLocks, seenProcess } from "../recovery/locks.ts";
import { knownStacks, labIdentity, stackSettings } from "../stack-settings.ts";
import { askLab, checkLab } from "./examine-lab.ts";
import type { Finding } from "./finding.ts";
import { heartbeatsOf } from "./nodes.ts";

export interface Diagnosis {
  readonly stack: string;
  readonly lab: string;
  readonly present: readonly { readonly what: string; readonly detail: string }[];
  readonly problems: readonly string[];
  readonly leftovers: Orphans;
  /** Stopped parts of the stack's lab on this host; empty unless the lab is up. */
  readonly asleep: readonly StoppedResource[];
  readonly findings: readonly Finding[];
  /** Last heartbeat of each node of that lab, by its own clock. */
  readonly heartbeats: Readonly<Record<string, Date>>;
  readonly busy: boolean;
}

/** Examines this host and a stack's lab on it, without changing anything. */
export async function examine(stack: string): Promise<Diagnosis> {
  const identity = await labIdentity(stack);
  const { lab } = identity;
  const host = thisHost(identity);
  const [prepared, tools, survey, states] = await Promise.all([
    hostProblems(stack),
    preparedTools(),
    surveyHost(host),
    statesOfProject(),
  ]);
  const busy = states.busy.has(lab);
  const found = survey.found.map((thing) => thing.lab);
  const elsewhere = await labsElsewhere(new Set(found), states.labs, stack);
  // Nothing is known to be this stack's while its state cannot be read.
  const foreign = await proofOf(stack, lab).then(
    (proof) => foreignAmong(survey.found, proof),
    () => survey.found.filter((thing) => thing.lab === lab),
  );
  const own = survey.found.filter((thing) => thing.lab === lab && !foreign.includes(thing));
  const readable = await readableDisks(host, own).catch((error: unknown) => [messageOf(error)]);
  // During a run, parts may be stopped on purpose.
  const { unlisted, problems, ...inside } =
    states.up.has(stack) && !busy ? await examineLab(stack, lab, host) : nothingInside;
  return {
    stack,
    lab,
    ...inside,
    busy,
    present: [...prepared.present, ...tools.present],
    problems: [
      ...prepared.problems,
      ...tools.problems,
      ...states.problems,
      ...readable.map(readableText),
      ...survey.unlisted.map(({ kind, reason }) => `cannot look for ${kind} resources: ${reason}`),
      ...unlisted
        // A daemon that does not answer is reported once, by the survey.
        .filter(({ reason }) => !survey.unlisted.some((each) => each.reason === reason))
        .map(({ kind, reason }) => `cannot check whether each ${kind} runs: ${reason}`),
      ...problems,
    ],
    leftovers: sortOrphans(survey.found, {
      own: lab,
      busy: new Set([...states.busy, ...states.unreadable]),
      owned: states.owned,
      foreign: new Set(foreign),
      elsewhere,
      byHand: (thing) => byHandOf(thing, host),
    }),
  };
}

/** @param what a disk, or why disks cannot be checked. */
function readableText(what: string): string {
  return what.startsWith("/")
    ? `other users of this host can read the disk ${what}, which has keys of its node: run as root \`chmod 600 ${what}\``
    : `cannot check who can read the disks: ${what}`;
}

export type Inside = Pick<Survey<never>, "unlisted"> &
  Pick<Diagnosis, "asleep" | "findings" | "heartbeats" | "problems">;

const nothingInside: Inside = {
  asleep: [],
  unlisted: [],
  findings: [],
  heartbeats: {},
  problems: [],
};

export async function examineLab(stack: string, lab: string, host: Host): Promise<Inside> {
  const [{ found: asleep, unlisted }, answers] = await Promise.all([
    stoppedOf(lab, host),
    askLab(stack, lab, host).catch(messageOf),
  ]);
  const seen = { ...nothingInside, asleep, unlisted };
  if (typeof answers === "string") {
    return { ...seen, problems: [`cannot examine the lab ${lab}: ${answers}`] };
  }
  const { cluster } = answers;
  return {
    ...seen,
    findings: checkLab(answers),
    heartbeats: typeof cluster === "string" ? {} : heartbeatsOf(cluster),
  };
}

type Prepared = Pick<Diagnosis, "present" | "problems">;

async function hostProblems(stack: string): Promise<Prepared> {
  try {
    const settings = await stackSettings(stack);
    const facts = await hostFacts(settings);
    const problems = [...checkHost(settings, facts), ...checkConfinement(settings, facts)];
    return { present: presentOn(facts), problems: problems.map(hostProblemText) };
  } catch (error) {
    return { present: [], problems: [messageOf(error)] };
  }
}

async function statesOfProject() {
  const problems: string[] = [];
  /** Labs whose state cannot be read. What they own is unknown, so none of their resources counts as orphaned. */
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

async function preparedTools(): Promise<Prepared> {
  const present: { what: string; detail: string }[] = [];
  const problems: string[] = [];
  try {
    for (const [what, detail] of Object.entries(builtArtifacts().tools)) {
      if (await isExecutable(detail)) present.push({ what, detail });
      else problems.push(`the tool ${what} is gone (${detail}): run \`kindows prepare\``);
    }
  } catch (error) {
    problems.push(messageOf(error));
  }
  return { present, problems };
}

function presentOn(facts: HostFacts): Diagnosis["present"] {
  const { docker, libvirt, kvm, confinement, memory, disks } = facts;
  const hidden =
    confinement.by !== undefined && confinement.denials === undefined
      ? "; only root and the groups adm and systemd-journal may see what it denied"
      : "";
  const kvmText = typeof kvm === "object" ? `does not work: ${kvm.error}` : kvm;
  return Object.entries({
    "Node.js": process.version,
    Docker: docker.reachable ? docker.version : `no answer: ${docker.error}`,
    libvirt: libvirt.reachable ? libvirt.version : `no answer: ${libvirt.error}`,
    "/dev/kvm": kvmText ?? "not used: the stack's machines are emulated",
    confinement: `${confinement.by ?? "none"}${hidden}`,
    memory: `${memory.availableMiB} MiB available of ${memory.totalMiB} MiB`,
    disk: `${Math.floor(disks.pool.freeGiB)} GiB free at ${disks.pool.folder}`,
  }).map(([what, detail]) => ({ what, detail }));
}

interface LabOnHost {
  readonly lab: string;
  readonly things: readonly HostResource[];
}

interface ForeignLab {
  readonly lab: string;
  readonly things: readonly (HostResource & { readonly byHand: string })[];
}

interface Orphans {
  /** Those of the chosen stack's lab that are not in its state. */
  readonly own: readonly HostResource[];
  /** What neither this project nor another existing clone knows, with the commands that remove it. */
  readonly unknown: readonly ForeignLab[];
  readonly elsewhere: readonly (LabOnHost & { readonly project: string })[];
}

interface KnownLabs {
  readonly own: string;
  /** Labs that a run is working on: what is not in their state yet is not orphaned. */
  readonly busy: ReadonlySet<string>;
  /** Identities of what is in the state of any of this project's stacks. */
  readonly owned: ReadonlySet<string>;
  /** What has the own lab's name and cannot be shown to be this stack's. */
  readonly foreign: ReadonlySet<HostResource>;
  readonly byHand: (thing: HostResource) => string;
  /** Labs that other clones run, with the clones' folders. */
  readonly elsewhere: ReadonlyMap<string, string>;
}

export function sortOrphans(things: readonly HostResource[], known: KnownLabs): Orphans {
  const loose = things.filter(
    (thing) =>
      !known.busy.has(thing.lab) &&
      (thing.identity === undefined || !known.owned.has(thing.identity)),
  );
  const isOwn = (thing: HostResource): boolean =>
    thing.lab === known.own && thing.isOurs !== false && !known.foreign.has(thing);
  const others = loose.filter((thing) => !isOwn(thing));
  const labs = [...new Set(others.map((thing) => thing.lab))].sort().map((lab) => ({
    lab,
    things: others.filter((thing) => thing.lab === lab),
    project: known.elsewhere.get(lab),
  }));
  return {
    own: loose.filter(isOwn),
    unknown: labs.flatMap(({ lab, things, project }) =>
      project === undefined
        ? [{ lab, things: things.map((each) => ({ ...each, byHand: known.byHand(each) })) }]
        : [],
    ),
    elsewhere: labs.flatMap(({ project, ...each }) => (project ? [{ ...each, project }] : [])),
  };
}
