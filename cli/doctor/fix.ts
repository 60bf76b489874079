import { waitUntil } from "../../host/wait-until.ts";
import { asOnlyRun } from "../engine/run-lock.ts";
import { Failure, messageOf } from "../../host/failure.ts";
import { resourcesOf } from "../engine/deployment.ts";
import { readStateFile } from "../engine/state-file.ts";
import { ownedIdentities, sweepLeftovers } from "../host-resources/host-resources.ts";
import { startDaemons, startStopped } from "../host-resources/stopped.ts";
import { assertNotTheirs } from "../lab/claim.ts";
import { thisHost, type Host } from "../lab/host.ts";
import { labIdentity } from "../stack-settings.ts";
import { examine, lookIntoLab, type Diagnosis } from "./examine.ts";
import { repairText, type Repair } from "./finding.ts";
import { doRepair } from "./repairs.ts";

/**
 * Times the host is looked at and repaired: what stands still hides what is wrong in it, and what is wrong in the control
 * plane hides its nodes.
 */
const rounds = 4;

/** Longest wait for what was started or repaired to be in order, in seconds; a machine may have to boot. */
const settleSeconds = 300;

/** Findings that end by themselves, once what they are about has been started. */
const settling = /^(node|API server|machine|pod) ?/;

/** What a repair does to a host, one line each; empty where nothing is there that it repairs. */
export function plannedRepairs(diagnosis: Diagnosis): readonly string[] {
  const { asleep, leftovers } = diagnosis;
  return [
    ...asleep
      .filter(({ first }) => first === undefined)
      .map(({ kind, name, verb }) => `${verb} ${kind} ${name}`),
    ...leftovers.own.map(({ kind, name }) => `remove ${kind} ${name}`),
    ...repairsOf(diagnosis).map(repairText),
  ];
}

/** Repairs of what is wrong in a lab, each once; none while something stands still, which may be the only reason. */
function repairsOf({ asleep, findings }: Pick<Diagnosis, "asleep" | "findings">): Repair[] {
  if (asleep.some(({ first }) => first === undefined)) {
    return [];
  }
  const all = findings.flatMap(({ repair }) => repair ?? []);
  const certificates = all.filter(({ kind }) => kind === "renew-certificates");
  // Nothing else can be checked before the API server can be asked.
  const chosen = certificates.length > 0 ? certificates : all;
  return [...new Map(chosen.map((repair) => [JSON.stringify(repair), repair])).values()];
}

/**
 * Repairs what the doctor finds and `kindows` itself can: daemons and things of the stack's lab that stand still, its
 * leftovers, certificates, clocks and kubelets. Says before what it will do. Other labs, settings and the host itself are
 * left alone.
 *
 * @throws when another clone runs the lab, another run works on it, or something could not be repaired; everything else
 * was, then.
 */
export async function fix(stack: string, say: (line: string) => void): Promise<void> {
  const identity = await labIdentity(stack);
  const lab = identity.names.prefix;
  const host = thisHost(identity);
  await assertNotTheirs(lab, stack);
  await asOnlyRun(stack, async () => {
    // First: nothing of the lab can be seen without them.
    await startDaemons(identity.libvirtUri, say);
    const told = new Set<string>();
    let troubles: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const diagnosis = await examine(stack);
      // What was tried once in vain is not tried again.
      const planned = plannedRepairs(diagnosis).filter((each) => !told.has(each));
      if (planned.length === 0) {
        if (round === 0) {
          say("there is nothing that --fix repairs");
        }
        break;
      }
      say(["--fix will:", ...planned.map((each) => `  - ${each}`)].join("\n"));
      planned.forEach((each) => told.add(each));
      troubles = [...troubles, ...(await repairAll(diagnosis, planned, { stack, lab, host, say }))];
      if (diagnosis.asleep.length + repairsOf(diagnosis).length > 0) {
        await settle({ stack, lab, host, say });
      }
    }
    if (troubles.length > 0) {
      throw new Failure(
        `not everything could be repaired:\n${troubles.map((each) => `  - ${each}`).join("\n")}`,
      );
    }
  });
}

interface Place {
  readonly stack: string;
  readonly lab: string;
  readonly host: Host;
  readonly say: (line: string) => void;
}

/** Does all that is planned, and returns what went wrong: one repair that fails keeps no other from being done. */
async function repairAll(
  diagnosis: Diagnosis,
  planned: readonly string[],
  { stack, lab, host, say }: Place,
): Promise<readonly string[]> {
  const { asleep, leftovers } = diagnosis;
  const troubles: string[] = [];
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      troubles.push(messageOf(error));
    }
  };
  if (asleep.some(({ first }) => first === undefined)) {
    await attempt(() => startStopped(lab, host, "all", say));
  }
  if (leftovers.own.length > 0) {
    await attempt(async () => {
      const owned = ownedIdentities(resourcesOf(await readStateFile(stack)));
      await sweepLeftovers({ lab, owned }, host, say);
    });
  }
  for (const repair of repairsOf(diagnosis)) {
    const text = repairText(repair);
    if (planned.includes(text)) {
      await attempt(async () => {
        await doRepair(repair, stack, lab);
        say(`done: ${text}`);
      });
    }
  }
  return troubles;
}

/**
 * Waits until nothing is wrong any more that ends by itself, and each node has been heard of again; what is not over by
 * then, the next look tells.
 */
async function settle({ stack, lab, host, say }: Place): Promise<void> {
  const what = "the nodes to be in order again";
  const since = new Date();
  say(`waiting for ${what}, at most ${settleSeconds} s`);
  try {
    const options = { what, timeoutSeconds: settleSeconds, pollMilliseconds: 3000 };
    await waitUntil(options, async () => {
      const inside = await lookIntoLab(stack, lab, host);
      return stillSettling({ ...inside, asleep: inside.stopped }, since);
    });
  } catch (error) {
    say(messageOf(error));
  }
}

/** What is waited for; nothing where there is something that no waiting ends. */
export function stillSettling(
  { asleep, findings, heartbeats }: Pick<Diagnosis, "asleep" | "findings" | "heartbeats">,
  since: Date,
): string | undefined {
  if (
    asleep.length > 0 ||
    findings.some(({ repair }) => repair?.kind === "renew-certificates") ||
    // kubelet's own time is not to be compared with. While the API server is silent no clock can be repaired: it comes.
    findings.some(({ name, repair }) => name.startsWith("clock of ") && repair !== undefined)
  ) {
    return undefined;
  }
  const open = findings
    .filter(({ name }) => settling.test(name))
    .map(({ name, seen }) => `${name}: ${seen}`);
  // One whose machine is off is shown as Ready for a while.
  const silent = Object.entries(heartbeats)
    .filter(([, heard]) => heard < since)
    .map(([node, heard]) => `node ${node} was last heard of at ${heard.toISOString()}`);
  return open.length + silent.length === 0 ? undefined : [...open, ...silent].join("; ");
}
