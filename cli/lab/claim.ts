import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";

import { cacheRoot } from "../../toolchain/cache.ts";
import { projectRoot } from "../../toolchain/project.ts";
import { Failure } from "../../host/failure.ts";
import { pendingOperations, resourcesOf } from "../engine/deployment.ts";
import type { Pulumi } from "../engine/pulumi.ts";
import { surveyHost } from "../host-resources/host-resources.ts";
import { labFiles } from "./access.ts";
import type { Host } from "./host.ts";

const claimSchema = z.object({ project: z.string(), stack: z.string() });

/** Which clone of the project, and which of its stacks, runs a lab on this host. */
export type Claim = z.infer<typeof claimSchema>;

/** Whose a lab is, as seen from this clone. */
export type Ownership =
  | { readonly kind: "unclaimed" }
  | { readonly kind: "ours" }
  /** Another clone's, or another stack's, whose state still exists. */
  | { readonly kind: "theirs"; readonly claim: Claim }
  /** A clone's that has been deleted: nobody can destroy it in the ordinary way any more. */
  | { readonly kind: "abandoned"; readonly claim: Claim };

/**
 * Whose the lab is. Names of things on a host do not tell which clone made them, and another clone's running lab must
 * not be taken for leftovers.
 */
export async function ownershipOf(lab: string, stack: string): Promise<Ownership> {
  let claim: Claim;
  try {
    claim = claimSchema.parse(JSON.parse(await readFile(claimFile(lab), "utf8")));
  } catch {
    return { kind: "unclaimed" };
  }
  if (claim.project === projectRoot && claim.stack === stack) {
    return { kind: "ours" };
  }
  const state = path.join(claim.project, ".kindows", "state");
  const exists = await stat(state).then(
    () => true,
    () => false,
  );
  return { kind: exists ? "theirs" : "abandoned", claim };
}

/** Notes that this clone's stack runs the lab. */
export async function claimLab(lab: string, stack: string): Promise<void> {
  const file = claimFile(lab);
  await mkdir(path.dirname(file), { recursive: true });
  const claim: Claim = { project: projectRoot, stack };
  await writeFile(file, `${JSON.stringify(claim)}\n`);
}

/** Notes that nobody runs the lab any more. */
export async function releaseLab(lab: string): Promise<void> {
  await rm(claimFile(lab), { force: true });
}

function claimFile(lab: string): string {
  return path.join(cacheRoot(), "labs", `${lab}.json`);
}

/**
 * Checks that what carries the lab's name on this host may be taken for this stack's: its own, or nobody's.
 *
 * @throws when another clone runs the lab, or when nobody can tell whose it is; then removing it takes a command
 * that says so.
 */
export async function assertMayUse(pulumi: Pulumi, lab: string, host: Host): Promise<void> {
  const ownership = await assertNotTheirs(lab, pulumi.stack);
  if (ownership.kind !== "unclaimed") {
    return;
  }
  const state = await pulumi.exportState();
  if (resourcesOf(state).length > 0 || pendingOperations(state).length > 0) {
    return;
  }
  // Files are this clone's own.
  const found = (await surveyHost(host)).things.filter(
    (thing) => thing.lab === lab && thing.kind !== labFiles.kind,
  );
  if (found.length > 0) {
    const list = found.map(({ kind, name }) => `  - ${kind} ${name}`).join("\n");
    throw new Failure(
      `on this host there is a lab ${lab} already, and this project does not know it:\n${list}\n` +
        `If nobody uses it, remove it with \`kindows down --stack ${pulumi.stack}\`; ` +
        `otherwise give this stack another kindows:lab.name`,
    );
  }
}

/**
 * Whose a lab is on this host, if it is this stack's or nobody's.
 *
 * @throws when another clone, or another stack, runs it.
 */
export async function assertNotTheirs(lab: string, stack: string): Promise<Ownership> {
  const ownership = await ownershipOf(lab, stack);
  if (ownership.kind === "theirs") {
    const { project, stack: runBy } = ownership.claim;
    throw new Failure(
      `the lab ${lab} is run by the stack ${runBy} of the project in ${project}: ` +
        `remove it there with \`kindows down --stack ${runBy}\`, or give this stack another kindows:lab.name`,
    );
  }
  return ownership;
}
