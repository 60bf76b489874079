import { waitUntil } from "../../host/wait-until.ts";
import { asOnlyRun } from "../engine/run-lock.ts";
import { Failure, messageOf } from "../../host/failure.ts";
import { removeAccessFiles } from "../lab/access.ts";
import type { Host } from "../lab/host.ts";
import { thisHost } from "../lab/host.ts";
import { assertNotTheirs } from "../lab/may-use.ts";
import { sweepLeftovers } from "../lab/sweep.ts";
import { wakeDaemons } from "../lab/wake-daemons.ts";
import { resourcesOf } from "../engine/deployment.ts";
import { ownedThings } from "../recovery/owned-things.ts";
import { readStateFile } from "../engine/state-file.ts";
import { wakeLab } from "../recovery/wake.ts";
import { labIdentity } from "../stack-settings.ts";
import { examine, lookIntoLab } from "./examine.ts";
import type { Diagnosis } from "./examine.ts";
import { repairText } from "./finding.ts";
import type { Repair } from "./finding.ts";
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
  const { asleep, leftovers, staleFiles } = diagnosis;
  return [
    ...asleep
      .filter(({ first }) => first === undefined)
      .map(({ kind, name, verb }) => `${verb} ${kind} ${name}`),
    ...leftovers.own.map(({ kind, name }) => `remove ${kind} ${name}`),
    ...staleFiles.map((file) => `remove file ${file}`),
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
  // Nothing else can be judged before the API server can be asked.
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
  const { names, libvirtUri } = await labIdentity(stack);
  const lab = names.prefix;
  const host = thisHost(libvirtUri);
  await assertNotTheirs(lab, stack);
  await asOnlyRun(stack, async () => {
    // First: nothing of the lab can be seen without them.
    await wakeDaemons(libvirtUri, say);
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
  const { asleep, leftovers, staleFiles } = diagnosis;
  const troubles: string[] = [];
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      troubles.push(messageOf(error));
    }
  };
  if (asleep.some(({ first }) => first === undefined)) {
    await attempt(() => wakeLab(lab, host, "built-on", say));
  }
  if (leftovers.own.length > 0) {
    await attempt(async () => {
      const state = await readStateFile(stack);
      const owned = ownedThings(state === undefined ? [] : resourcesOf(state));
      const identities = new Set(owned.map(({ identity }) => identity));
      await sweepLeftovers({ lab, owned: identities }, host, say);
    });
  }
  if (staleFiles.length > 0) {
    await attempt(() => removeAccessFiles(stack));
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
      const { asleep, inside } = await lookIntoLab(stack, lab, host.libvirtUri);
      return stillSettling({ ...inside, asleep: asleep.asleep }, since);
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
