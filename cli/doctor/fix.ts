import { waitUntil } from "../../host/wait-until.ts";
import { messageOf, throwAll } from "../../host/failure.ts";
import { resourcesOf } from "../engine/deployment.ts";
import { readState } from "../engine/states.ts";
import { ownedIdentities, removeOrphans } from "../host-resources/host-resources.ts";
import { startStopped, type StoppedResource } from "../host-resources/stopped.ts";
import { type OwnLab, onOwnLab } from "../lab/own-lab.ts";
import { noteRunning } from "../power/booted-nodes.ts";
import { say } from "../progress.ts";
import { examineLab, type Inside } from "./examine-lab.ts";
import { type ExaminedLab, examineOwnLab } from "./examine-own-lab.ts";
import { type FindingKind, nameOf, repairText, type Repair } from "./finding.ts";
import { doRepair } from "./repairs.ts";

/** Maximum rounds: a stopped machine hides its other problems, and the control plane's problems hide the nodes'. */
const rounds = 4;

const settleSeconds = 300;

/** Longest wait for nodes whose machines were turned on, in seconds: a boot of Windows with its pods, on a host without KVM. */
export const bootSeconds = 1200;

/** Findings that disappear by themselves once their subject works. */
const settling: ReadonlySet<FindingKind> = new Set([
  "api-server-silent",
  "api-server-unreadable",
  "node-missing",
  "node-not-ready",
  "node-silent",
  "node-pressure",
  "pod-not-ready",
  "machine-silent",
]);

const canStart = ({ first }: StoppedResource): boolean => first === undefined;

type Repairable = Pick<ExaminedLab, "asleep" | "findings" | "leftovers">;

export function plannedRepairs(diagnosis: Repairable): readonly string[] {
  const { asleep, leftovers } = diagnosis;
  return [
    ...asleep.filter(canStart).map(({ kind, name, verb }) => `${verb} ${kind} ${name}`),
    ...leftovers.own.map(({ kind, name }) => `remove ${kind} ${name}`),
    ...repairsOf(diagnosis).map(repairText),
  ];
}

/** The findings' repairs without repetitions; none while something is stopped, which may be their only reason. */
function repairsOf({ asleep, findings }: Pick<Inside, "asleep" | "findings">): Repair[] {
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
export function fix(stack: string): Promise<void> {
  return onOwnLab(stack, { startsDaemons: true }, repairLab);
}

/** The same for a lab that is known to be this stack's, by the only command that changes it; its daemons run. */
export async function repairLab(own: OwnLab): Promise<void> {
  const announced = new Set<string>();
  const troubles: string[] = [];
  const nodesAreBack = await noteRunning(own);
  for (let round = 0; round < rounds; round += 1) {
    const diagnosis = await examineOwnLab(own);
    // A repair that failed is not tried again.
    const planned = plannedRepairs(diagnosis).filter((each) => !announced.has(each));
    if (planned.length === 0) {
      if (round === 0) say("there is nothing for --fix to repair");
      break;
    }
    say(["--fix will:", ...planned.map((each) => `  - ${each}`)].join("\n"));
    planned.forEach((each) => announced.add(each));
    troubles.push(...(await repairAll(diagnosis, planned, own)));
    if (diagnosis.asleep.length + repairsOf(diagnosis).length > 0) await settle(own);
  }
  await nodesAreBack().catch((error: unknown) => troubles.push(messageOf(error)));
  throwAll("not everything could be repaired", troubles);
}

async function repairAll(
  diagnosis: Repairable,
  planned: readonly string[],
  { stack, lab, host }: OwnLab,
): Promise<readonly string[]> {
  const { asleep, leftovers } = diagnosis;
  const repairs = repairsOf(diagnosis).filter((each) => planned.includes(repairText(each)));
  const tasks: (() => Promise<unknown>)[] = [];
  if (asleep.some(canStart)) tasks.push(() => startStopped(lab, host, "all", say));
  if (leftovers.own.length > 0) {
    tasks.push(async () => {
      const owned = ownedIdentities(resourcesOf(await readState(stack)));
      await removeOrphans({ lab, owned }, host, say);
    });
  }
  tasks.push(
    ...repairs.map((repair) => async () => {
      await doRepair(repair, stack, lab);
      say(`done: ${repairText(repair)}`);
    }),
  );
  const troubles: string[] = [];
  for (const task of tasks) await task().catch((error) => troubles.push(messageOf(error)));
  return troubles;
}

/** Waits until the nodes are in order again, and says so if they are not in time. */
async function settle(context: OwnLab): Promise<void> {
  await settled(context, new Date(), settleSeconds).catch((error: unknown) => {
    say(messageOf(error));
  });
}

/**
 * Waits until the findings that disappear by themselves are gone, and each node has sent a heartbeat.
 *
 * @param since only later heartbeats count.
 * @param only nodes, if nothing else counts.
 * @throws after the time limit, with what is still not in order.
 */
export async function settled(
  { stack, lab, host }: OwnLab,
  since: Date,
  timeoutSeconds: number,
  only?: readonly string[],
): Promise<void> {
  const what = `${only?.join(", ") ?? "the nodes"} to be in order again`;
  say(`waiting for ${what}, at most ${timeoutSeconds} s`);
  const options = { what, timeoutSeconds, pollMilliseconds: 3000 };
  await waitUntil(options, async () => {
    const seen = await examineLab(stack, lab, host);
    return stillSettling(only === undefined ? seen : ofNodes(seen, only), since);
  });
}

function ofNodes(
  { findings, heartbeats }: Inside,
  nodes: readonly string[],
): Omit<Inside, "unlisted"> {
  const heard = nodes.map((node) => [node, heartbeats[node] ?? new Date(0)]);
  return {
    ...{ asleep: [], problems: [], heartbeats: Object.fromEntries(heard) as Record<string, Date> },
    findings: findings.filter(({ subject }) => nodes.includes(subject)),
  };
}

/** What the lab is still waiting for; undefined if there is nothing to wait for. */
export function stillSettling(
  { asleep, findings, heartbeats }: Pick<Inside, "asleep" | "findings" | "heartbeats">,
  since: Date,
): string | undefined {
  if (
    asleep.length > 0 ||
    findings.some(({ repair }) => repair?.kind === "renew-certificates") ||
    // kubelet's own clock may be wrong. While the API server is silent no clock can be repaired, so wait for it.
    findings.some(({ kind, repair }) => kind === "clock-wrong" && repair !== undefined)
  ) {
    return undefined;
  }
  const unsettled = findings
    .filter(({ kind }) => settling.has(kind))
    .map((finding) => `${nameOf(finding)}: ${finding.seen}`);
  // A node whose machine is off is shown as Ready for a while.
  const silent = Object.entries(heartbeats)
    .filter(([, heard]) => heard < since)
    .map(([node, heard]) => `node ${node} was last heard of at ${heard.toISOString()}`);
  return unsettled.length + silent.length === 0 ? undefined : [...unsettled, ...silent].join("; ");
}
