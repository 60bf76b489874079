import type { Pulumi } from "../engine/pulumi.ts";
import * as z from "zod";
import { resourcesOf, shortName, type Deployment } from "../engine/deployment.ts";
import { StackFacts } from "../engine/facts.ts";
import { removeFromState } from "./remove-from-state.ts";

/** Triggers of a copy: another machine and, for a program but not for scripts, another checksum. */
const pushTriggersSchema = z.tuple([z.unknown(), z.string()]);

/** A state without pushes that are to be repeated. */
export interface Unpushed {
  readonly deployment: Deployment;
  /** One line for each push that is removed. */
  readonly notes: readonly string[];
}

/**
 * Removes the pushes of programs to these nodes' machines from the state, so that they are made again. The engine cannot
 * notice by itself that a file on a machine is damaged or gone.
 *
 * @param nodes names of nodes; those whose image carries their programs have had nothing pushed.
 */
export function removePushes(deployment: Deployment, nodes: readonly string[]): Unpushed {
  const resources = resourcesOf(deployment);
  const facts = new StackFacts(resources);
  const pushes = resources.filter(
    ({ type, urn, inputs }) =>
      type === "command:remote:CopyToRemote" &&
      pushTriggersSchema.safeParse(inputs?.["triggers"]).success &&
      nodes.includes(facts.nodeOf(urn) ?? ""),
  );
  return {
    deployment: removeFromState(deployment, new Set(pushes.map(({ urn }) => urn))),
    notes: pushes.map(({ urn }) => `pushed again: ${shortName(urn)}`),
  };
}

/**
 * Makes the next operation push the programs of these nodes again.
 *
 * @returns whether there was anything that had been pushed.
 */
export async function pushAgain(
  pulumi: Pulumi,
  nodes: readonly string[],
  say: (line: string) => void,
): Promise<boolean> {
  const { deployment, notes } = removePushes(await pulumi.exportState(), nodes);
  if (notes.length > 0) {
    await pulumi.importState(deployment);
    notes.forEach(say);
  }
  return notes.length > 0;
}
