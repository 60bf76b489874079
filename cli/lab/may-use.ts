import { parseDeployment, pendingOperations, resourcesOf } from "../engine/deployment.ts";
import type { Pulumi } from "../engine/pulumi.ts";
import { Failure } from "../../host/failure.ts";
import { ownershipOf } from "./claim.ts";
import type { Ownership } from "./claim.ts";
import type { Host } from "./host.ts";
import { surveyHost } from "./survey.ts";

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
  const state = parseDeployment(await pulumi.state(["stack", "export"]));
  if (resourcesOf(state).length > 0 || pendingOperations(state).length > 0) {
    return;
  }
  const found = (await surveyHost(host)).things.filter((thing) => thing.lab === lab);
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
    throw new Failure(theirsText(lab, ownership.claim));
  }
  return ownership;
}

/** What to say about a lab that another clone, or another stack, runs. */
export function theirsText(lab: string, claim: { project: string; stack: string }): string {
  return (
    `the lab ${lab} is run by the stack ${claim.stack} of the project in ${claim.project}: ` +
    `remove it there with \`kindows down --stack ${claim.stack}\`, or give this stack another kindows:lab.name`
  );
}
