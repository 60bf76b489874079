import type { V1Node } from "@kubernetes/client-node";
import * as z from "zod";
import { parseJson } from "../../toolchain/parse-json.ts";

const annotation = "kindows.dev/deployed";

/** Programs that a user has put onto a node, by their names. */
export type DeployedPrograms = Readonly<Record<string, DeployedProgram>>;

interface DeployedProgram {
  readonly sha256: string;
  /** SHA-256 of what the stack installs in its place; empty if it installs nothing there. */
  readonly insteadOf: string;
}

const schema = z.record(z.string(), z.object({ sha256: z.string(), insteadOf: z.string() }));

export function deployedOn({ metadata }: Pick<V1Node, "metadata">): DeployedPrograms {
  return schema.safeParse(parseJson(metadata?.annotations?.[annotation] ?? "")).data ?? {};
}

/** The node with these programs noted, and no others. */
export function withDeployed(node: V1Node, programs: DeployedPrograms): V1Node {
  const annotations = { ...node.metadata?.annotations };
  delete annotations[annotation];
  if (Object.keys(programs).length > 0) annotations[annotation] = JSON.stringify(programs);
  return { ...node, metadata: { ...node.metadata, annotations } };
}

/**
 * The node without the programs in whose place the stack has installed another meanwhile; undefined if there are none.
 *
 * @param installed SHA-256 of what the stack installs, by the programs' names.
 */
export function withoutSuperseded(
  node: V1Node,
  installed: Readonly<Record<string, string>>,
): V1Node | undefined {
  const deployed = Object.entries(deployedOn(node));
  const left = deployed.filter(([name, { insteadOf }]) => (installed[name] ?? "") === insteadOf);
  return left.length === deployed.length ? undefined : withDeployed(node, Object.fromEntries(left));
}
