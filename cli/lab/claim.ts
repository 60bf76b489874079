import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";

import { cacheRoot } from "../../toolchain/cache.ts";
import { projectRoot } from "../../toolchain/project.ts";

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
