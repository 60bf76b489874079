import { readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";

import { ownCache } from "../../toolchain/own-cache.ts";
import { parseJson } from "../../toolchain/parse-json.ts";
import { projectRoot } from "../../toolchain/project.ts";
import { Failure } from "../../host/failure.ts";
import { chosenBackend } from "../engine/backend.ts";
import { writeWhole } from "../../host/write-whole.ts";
import { resourcesOf } from "../engine/deployment.ts";
import { redact } from "../../components/redact.ts";
import { readState } from "../engine/states.ts";
import { cacheRoot } from "../../toolchain/own-cache.ts";

const claimSchema = z.object({
  project: z.string(),
  stack: z.string(),
  /** Backend with its state; omitted if that is the clone's own. */
  backend: z.string().optional(),
});

export type Claim = z.infer<typeof claimSchema>;

interface Ownership {
  /** Undefined if no stack has recorded that it runs the lab. */
  readonly claim?: Claim;
  /** Whether the lab belongs to another stack, clone or backend whose state still exists. */
  readonly isTheirs: boolean;
}

/**
 * Finds the owner of a lab, as far as this user's cache tells; clones with the same backend share it. It is a hint, which
 * can only forbid something, and says who to ask. What is this stack's is known by `proofOf`.
 */
export async function ownershipOf(lab: string, stack: string): Promise<Ownership> {
  const text = await readFile(claimFile(lab), "utf8").catch(() => "");
  const { data: claim } = claimSchema.safeParse(parseJson(text));
  if (claim === undefined) return { isTheirs: false };
  const { backend } = ourClaim(stack);
  const isHere = claim.project === projectRoot;
  if (claim.stack === stack) {
    const isOurs = claim.backend === backend && (isHere || backend !== undefined);
    // Its state may have been moved to this backend. Otherwise this backend is wrong: the lab would count as orphans.
    const state = isHere && !isOurs ? await readState(stack).catch(() => undefined) : undefined;
    if (isOurs || resourcesOf(state).length > 0) return { claim, isTheirs: false };
  }
  const stateFolder = path.join(claim.project, ".kindows", "state");
  return { claim, isTheirs: claim.backend !== undefined || (await mayExist(stateFolder)) };
}

/**
 * Labs that other clones run, with the clones' folders. A stack of this clone may have had a lab of the same name, of which
 * an empty state is left.
 *
 * @param here labs of which this clone has a state.
 * @param stack one of this clone's stacks.
 */
export async function labsElsewhere(
  labs: Iterable<string>,
  here: ReadonlySet<string>,
  stack: string,
): Promise<ReadonlyMap<string, string>> {
  const elsewhere = new Map<string, string>();
  for (const lab of labs) {
    const { claim, isTheirs } = await ownershipOf(lab, stack);
    const isHere = here.has(lab) && claim?.project === projectRoot;
    if (claim !== undefined && isTheirs && !isHere) elsewhere.set(lab, claim.project);
  }
  return elsewhere;
}

/** Whether there is such a folder, or this user may not look. */
async function mayExist(folder: string): Promise<boolean> {
  return stat(folder).then(
    () => true,
    ({ code }: NodeJS.ErrnoException) => code !== "ENOENT" && code !== "ENOTDIR",
  );
}

function ourClaim(stack: string): Claim {
  const backend = chosenBackend();
  return {
    project: projectRoot,
    stack,
    ...(backend !== undefined && { backend: redact(backend) }),
  };
}

export async function releaseLab(lab: string): Promise<void> {
  await rm(claimFile(lab), { force: true });
}

function claimFile(lab: string): string {
  return path.join(cacheRoot(), "labs", `${lab}.json`);
}

/** Records for this user's other clones that the stack runs the lab. */
export function announceLab(lab: string, stack: string): void {
  ownCache();
  writeWhole(claimFile(lab), `${JSON.stringify(ourClaim(stack))}\n`);
}

/** Owner of a lab on this host: this stack or none. @throws if another clone or another stack runs the lab. */
export async function assertNotTheirs(lab: string, stack: string): Promise<Ownership> {
  const ownership = await ownershipOf(lab, stack);
  const { claim, isTheirs } = ownership;
  if (claim && isTheirs) {
    const { project, stack: runBy, backend = path.join(project, ".kindows", "state") } = claim;
    throw new Failure(
      `the lab ${lab} is run by the stack ${runBy} of the project in ${project}, whose state is in ${backend}: ` +
        `remove it there with \`kindows down --stack ${runBy}\`, or give this stack another kindows:lab.name`,
    );
  }
  return ownership;
}
