import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";

import { cacheRoot } from "../../toolchain/cache.ts";
import { parseJson } from "../../toolchain/parse-json.ts";
import { projectRoot } from "../../toolchain/project.ts";
import { Failure } from "../../host/failure.ts";
import { chosenBackend } from "../engine/backend.ts";
import { pendingOperations, resourcesOf } from "../engine/deployment.ts";
import type { Pulumi } from "../engine/pulumi.ts";
import { redact } from "../engine/redact.ts";
import { readState } from "../engine/states.ts";
import { surveyHost } from "../host-resources/host-resources.ts";
import { labFiles } from "./access.ts";
import type { Host } from "../../host/host.ts";

const claimSchema = z.object({
  project: z.string(),
  stack: z.string(),
  /** Backend with its state; omitted if that is the clone's own. */
  backend: z.string().optional(),
});

export type Claim = z.infer<typeof claimSchema>;

export interface Ownership {
  /** Undefined if no stack has recorded that it runs the lab. */
  readonly claim?: Claim;
  /** Whether the lab belongs to another stack, clone or backend whose state still exists. */
  readonly isTheirs: boolean;
}

/**
 * Finds the owner of a lab; clones with the same backend share it. Names of host resources do not show which clone
 * created them, and another clone's running lab must not be mistaken for orphans.
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
  return { claim, isTheirs: claim.backend !== undefined || existsSync(stateFolder) };
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

/** Records that the stack runs the lab. @throws if the lab on this host is another clone's, or unknown. */
export async function claimLab(pulumi: Pulumi, lab: string, host: Host): Promise<void> {
  const { claim } = await assertNotTheirs(lab, pulumi.stack);
  if (claim === undefined) await assertNothingThere(pulumi, lab, host);
  const file = claimFile(lab);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(ourClaim(pulumi.stack))}\n`);
}

async function assertNothingThere(pulumi: Pulumi, lab: string, host: Host): Promise<void> {
  const state = await pulumi.exportState();
  if (resourcesOf(state).length > 0 || pendingOperations(state).length > 0) return;
  // Files are this clone's own.
  const found = (await surveyHost(host)).found.filter(
    (thing) => thing.lab === lab && thing.kind !== labFiles.kind,
  );
  if (found.length > 0) {
    const list = found.map(({ kind, name }) => `  - ${kind} ${name}`).join("\n");
    throw new Failure(
      `this host already has a lab ${lab} that this project does not know:\n${list}\n` +
        `If it is not used, remove it with \`kindows down --stack ${pulumi.stack}\`; ` +
        `otherwise give this stack another kindows:lab.name`,
    );
  }
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
