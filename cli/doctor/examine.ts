import { hostProblemText } from "../../config/host-problem.ts";
import { messageOf } from "../../host/failure.ts";
import { hostFacts, type HostFacts } from "../../stacks/host-facts.ts";
import { checkHost } from "../../stacks/host-checks.ts";
import { checkConfinement } from "../../components/machine/libvirt/confinement.ts";
import { builtArtifacts } from "../../toolchain/built.ts";
import { byHandOf } from "../host-resources/host-resources.ts";
import { readableDisks } from "../../components/machine/libvirt/storage.ts";
import { labsElsewhere } from "../lab/claim.ts";
import { isExecutable } from "../../host/search-path.ts";
import { thisHost } from "../../host/host.ts";
import { labIdentity, stackSettings } from "../stack-settings.ts";
import type { Inside } from "./examine-lab.ts";
import { examineOwnLab } from "./examine-own-lab.ts";
import { type Orphans, sortOrphans } from "./orphans.ts";

export interface Diagnosis extends Pick<Inside, "asleep" | "findings" | "heartbeats" | "problems"> {
  readonly stack: string;
  readonly lab: string;
  readonly present: readonly { readonly what: string; readonly detail: string }[];
  readonly leftovers: Orphans;
  readonly busy: boolean;
}

/** Examines this host and a stack's lab on it, without changing anything. */
export async function examine(stack: string): Promise<Diagnosis> {
  const identity = await labIdentity(stack);
  const { lab } = identity;
  const host = thisHost(identity);
  const [prepared, tools, examined] = await Promise.all([
    hostProblems(stack),
    preparedTools(),
    examineOwnLab({ stack, lab, host }),
  ]);
  const { survey, states, known, busy, asleep, findings, heartbeats } = examined;
  const found = survey.found.map((thing) => thing.lab);
  const elsewhere = await labsElsewhere(new Set(found), states.labs, stack);
  const own = survey.found.filter((thing) => thing.lab === lab && !known.foreign.has(thing));
  const readable = await readableDisks(host, own).catch((error: unknown) => [messageOf(error)]);
  return {
    ...{ stack, lab, asleep, findings, heartbeats, busy },
    present: [...prepared.present, ...tools.present],
    problems: [
      ...prepared.problems,
      ...tools.problems,
      ...states.problems,
      ...readable.map(readableText),
      ...survey.unlisted.map(({ kind, reason }) => `cannot look for ${kind} resources: ${reason}`),
      ...examined.unlisted
        // A daemon that does not answer is reported once, by the survey.
        .filter(({ reason }) => !survey.unlisted.some((each) => each.reason === reason))
        .map(({ kind, reason }) => `cannot check whether each ${kind} runs: ${reason}`),
      ...examined.problems,
    ],
    leftovers: sortOrphans(survey.found, {
      ...known,
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
