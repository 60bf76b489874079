import { waitUntil } from "../../host/wait-until.ts";
import { asOnlyRun } from "../engine/run-lock.ts";
import { messageOf, throwAll } from "../../host/failure.ts";
import { resourcesOf } from "../engine/deployment.ts";
import { readState } from "../engine/states.ts";
import { ownedIdentities, removeOrphans } from "../host-resources/host-resources.ts";
import { startDaemons, startStopped, type StoppedResource } from "../host-resources/stopped.ts";
import { assertNotTheirs } from "../lab/claim.ts";
import { thisHost, type Host } from "../../host/host.ts";
import { say } from "../progress.ts";
import { labIdentity } from "../stack-settings.ts";
import { examine, lookIntoLab, type Diagnosis } from "./examine.ts";
import { repairText, type Repair } from "./finding.ts";
import { doRepair } from "./repairs.ts";

/** A stopped machine hides its other problems, and those of the control plane hide the nodes'. */
const rounds = 4;

const settleSeconds = 300;

/** Findings that disappear by themselves once their subject works. */
const settling = /^(node|API server|machine|pod) ?/;

const canStart = ({ first }: StoppedResource): boolean => first === undefined;

export function plannedRepairs(diagnosis: Diagnosis): readonly string[] {
  const { asleep, leftovers } = diagnosis;
  return [
    ...asleep.filter(canStart).map(({ kind, name, verb }) => `${verb} ${kind} ${name}`),
    ...leftovers.own.map(({ kind, name }) => `remove ${kind} ${name}`),
    ...repairsOf(diagnosis).map(repairText),
  ];
}

/** Repairs in a lab, each once; none while something is stopped, which may be the only reason. */
function repairsOf({ asleep, findings }: Pick<Diagnosis, "asleep" | "findings">): Repair[] {
  if (asleep.some(canStart)) return [];
  const all = findings.flatMap(({ repair }) => repair ?? []);
  const certificates = all.filter(({ kind }) => kind === "renew-certificates");
  // Nothing else can be checked before the API server can be asked.
  const chosen = certificates.length > 0 ? certificates : all;
  return [...new Map(chosen.map((repair) => [JSON.stringify(repair), repair])).values()];
}

/**
 * Repairs what the doctor finds and `kindows` can repair: stopped daemons and resources of the stack's lab, its
 * orphans, certificates, clocks and kubelets. Announces each repair. Leaves other labs, settings and the host itself
 * alone.
 *
 * @throws if another clone runs the lab, another run is working on it, or something could not be repaired, after
 *   repairing everything else.
 */
export async function fix(stack: string): Promise<void> {
  const identity = await labIdentity(stack);
  const { lab } = identity;
  const place = { stack, lab, host: thisHost(identity) };
  await assertNotTheirs(lab, stack);
  await asOnlyRun(stack, async () => {
    // First, as nothing of the lab can be seen without them.
    await startDaemons(identity.libvirtUri, say);
    const announced = new Set<string>();
    const troubles: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const diagnosis = await examine(stack);
      // What failed once is not tried again.
      const planned = plannedRepairs(diagnosis).filter((each) => !announced.has(each));
      if (planned.length === 0) {
        if (round === 0) say("there is nothing that --fix repairs");
        break;
      }
      say(["--fix will:", ...planned.map((each) => `  - ${each}`)].join("\n"));
      planned.forEach((each) => announced.add(each));
      troubles.push(...(await repairAll(diagnosis, planned, place)));
      if (diagnosis.asleep.length + repairsOf(diagnosis).length > 0) await settle(place);
    }
    throwAll("not everything could be repaired", troubles);
  });
}

interface Place {
  readonly stack: string;
  readonly lab: string;
  readonly host: Host;
}

async function repairAll(
  diagnosis: Diagnosis,
  planned: readonly string[],
  { stack, lab, host }: Place,
): Promise<readonly string[]> {
  const { asleep, leftovers } = diagnosis;
  const repairs = repairsOf(diagnosis).filter((each) => planned.includes(repairText(each)));
  const works: (() => Promise<unknown>)[] = [];
  if (asleep.some(canStart)) works.push(() => startStopped(lab, host, "all", say));
  if (leftovers.own.length > 0) {
    works.push(async () => {
      const owned = ownedIdentities(resourcesOf(await readState(stack)));
      await removeOrphans({ lab, owned }, host, say);
    });
  }
  works.push(
    ...repairs.map((repair) => async () => {
      await doRepair(repair, stack, lab);
      say(`done: ${repairText(repair)}`);
    }),
  );
  const troubles: string[] = [];
  for (const work of works) await work().catch((error) => troubles.push(messageOf(error)));
  return troubles;
}

/** Waits until what disappears by itself is gone, and each node has sent a heartbeat. */
async function settle({ stack, lab, host }: Place): Promise<void> {
  const what = "the nodes to be in order again";
  const since = new Date();
  say(`waiting for ${what}, at most ${settleSeconds} s`);
  try {
    const options = { what, timeoutSeconds: settleSeconds, pollMilliseconds: 3000 };
    await waitUntil(options, async () => stillSettling(await lookIntoLab(stack, lab, host), since));
  } catch (error) {
    say(messageOf(error));
  }
}

export function stillSettling(
  { asleep, findings, heartbeats }: Pick<Diagnosis, "asleep" | "findings" | "heartbeats">,
  since: Date,
): string | undefined {
  if (
    asleep.length > 0 ||
    findings.some(({ repair }) => repair?.kind === "renew-certificates") ||
    // kubelet's own clock may be wrong. While the API server is silent no clock can be repaired, so wait for it.
    findings.some(({ name, repair }) => name.startsWith("clock of ") && repair !== undefined)
  ) {
    return undefined;
  }
  const open = findings
    .filter(({ name }) => settling.test(name))
    .map(({ name, seen }) => `${name}: ${seen}`);
  // A node whose machine is off is shown as Ready for a while.
  const silent = Object.entries(heartbeats)
    .filter(([, heard]) => heard < since)
    .map(([node, heard]) => `node ${node} was last heard of at ${heard.toISOString()}`);
  return open.length + silent.length === 0 ? undefined : [...open, ...silent].join("; ");
}
