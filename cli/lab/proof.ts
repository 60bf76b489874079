import { randomBytes } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";

import { componentFacts } from "../../components/facts.ts";
import { labIdTriggers } from "../../config/names.ts";
import type { HostResource } from "../../components/host-resource.ts";
import { Failure } from "../../host/failure.ts";
import type { Host } from "../../host/host.ts";
import { writeWhole } from "../../host/write-whole.ts";
import { parseJson } from "../../toolchain/parse-json.ts";
import { resourcesOf, type StateResource } from "../engine/deployment.ts";
import { byOtherVersion } from "../engine/facts.ts";
import { stackFolder } from "../engine/folders.ts";
import { readState } from "../engine/states.ts";
import { byHandOf, ownedIdentities, surveyHost } from "../host-resources/host-resources.ts";

/** What a stack knows of a lab by itself. Everything else with the lab's name may be somebody else's. */
export interface Proof {
  readonly lab: string;
  /** Random id that the lab's things carry, if this clone has begun the lab or the stack's state has it. */
  readonly id: string | undefined;
  /** Whether this clone has begun the lab, on a host with nothing of its name, or the stack's state has it. */
  readonly isBegun: boolean;
  /** Identities of what the stack's state owns. */
  readonly made: ReadonlySet<string>;
}

/**
 * The things with the lab's name that cannot be shown to be this stack's, because they are neither in its state nor
 * carry the lab's id. What cannot carry an id, e.g. a volume, a container or a bridge, belongs to whom the rest does: it
 * is foreign where the stack has not begun the lab, or where something else of the lab's name is foreign.
 */
export function foreignAmong(
  found: readonly HostResource[],
  { lab, id, isBegun, made }: Proof,
): readonly HostResource[] {
  const named = found.filter((thing) => thing.lab === lab && thing.isOurs === undefined);
  const unknown = named.filter(
    ({ mark, identity = "" }) => !made.has(identity) && (mark === undefined || mark !== id),
  );
  return isBegun && unknown.every(({ mark }) => mark === undefined) ? [] : unknown;
}

const idSchema = z.string().regex(/^[0-9a-f]{16}$/);
const recordSchema = z.object({ lab: z.string(), id: idSchema });

/** The record of the lab that this clone has begun for a stack. */
function recordFile(stack: string): string {
  return path.join(stackFolder(stack), "lab.json");
}

async function recordOf(stack: string): Promise<z.infer<typeof recordSchema> | undefined> {
  const text = await readFile(recordFile(stack), "utf8").catch(() => "");
  return recordSchema.safeParse(parseJson(text)).data;
}

function keepsLabId(triggers: unknown): boolean {
  const { data = [] } = z.array(z.unknown()).safeParse(triggers);
  return data.length === labIdTriggers.length && labIdTriggers.every((each) => data.includes(each));
}

/** The random id of the stack's lab, if the state has it. */
export function labIdIn(resources: readonly StateResource[]): string | undefined {
  const made = resources.find(({ inputs }) => keepsLabId(inputs?.["triggers"]));
  return idSchema.safeParse(made?.outputs?.["stdout"]).data;
}

/**
 * The id of the stack's lab: that of an earlier run, or a new one, which `recordLab` keeps.
 *
 * @param resources of the stack's state.
 */
export async function labIdOf(stack: string, resources: readonly StateResource[]): Promise<string> {
  return labIdIn(resources) ?? (await recordOf(stack))?.id ?? randomBytes(8).toString("hex");
}

/** @throws Failure if an earlier version made the stack's lab, whose resources this one would make once more. */
export function assertOfThisVersion(stack: string, resources: readonly StateResource[]): void {
  const isLab = resources.some(({ type }) => type === "kindows:network:LabNetwork");
  if (isLab && labIdIn(resources) === undefined) throw byOtherVersion(`the state of ${stack}`);
}

/** Records that this clone begins the lab. Before anything is made, and after `assertNothingForeign`. */
export function recordLab(stack: string, lab: string, id: string): void {
  writeWhole(recordFile(stack), `${JSON.stringify({ lab, id })}\n`, 0o600);
}

export async function forgetLab(stack: string): Promise<void> {
  await rm(recordFile(stack), { force: true });
}

/**
 * @param known the resources of the stack's state, if they have been read already.
 * @throws when the state cannot be read: then it is unknown what is the stack's.
 */
export async function proofOf(
  stack: string,
  lab: string,
  known?: readonly StateResource[],
): Promise<Proof> {
  const record = await recordOf(stack);
  const resources = known ?? resourcesOf(await readState(stack));
  const network = resources.find(({ type }) => type === "kindows:network:LabNetwork");
  const facts = componentFacts["kindows:network:LabNetwork"].safeParse(network?.inputs?.["facts"]);
  return {
    lab,
    id: labIdIn(resources) ?? record?.id,
    isBegun: record?.lab === lab || facts.data?.name === lab,
    made: ownedIdentities(resources),
  };
}

/**
 * To be asked before anything of a lab is removed, started, repaired or replaced.
 *
 * @param known the resources of the stack's state, if they have been read already.
 * @throws with the commands for removing them by hand if there are things with the lab's name that may be others'.
 */
export async function assertNothingForeign(
  stack: string,
  lab: string,
  host: Host,
  known?: readonly StateResource[],
): Promise<void> {
  const { found } = await surveyHost(host);
  const foreign = foreignAmong(found, await proofOf(stack, lab, known));
  if (foreign.length === 0) return;
  const list = foreign.map((thing) => `  - ${thing.kind} ${thing.name}: ${byHandOf(thing, host)}`);
  throw new Failure(
    `this host already has a lab ${lab} that this project does not know, and leaves alone:\n${list.join("\n")}\n` +
      "If somebody uses it, give this stack another kindows:lab.name; if nobody does, remove it with these commands",
  );
}
