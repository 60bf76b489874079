import { RunError } from "@pulumi/pulumi/errors.js";
import { namesIn } from "../config/names.ts";
import type { Settings } from "../config/settings.ts";

/**
 * Environment variable with the names of unreachable further hypervisors, separated by commas. Their nodes are left
 * alone.
 */
export const unreachableVariable = "KINDOWS_AWAY";

export function isAway(hypervisor: string): boolean {
  return namesIn(process.env[unreachableVariable]).includes(hypervisor);
}

/**
 * The nodes of this run: all but those on an unreachable hypervisor.
 *
 * The engine deletes resources that the program does not register. So those of the named hypervisors have to be
 * excluded too (`--exclude`), as `kindows up` does.
 *
 * @throws RunError if a name is not that of a further hypervisor.
 */
export function reachableNodes({
  hypervisors,
  nodes,
  linuxNodes,
}: Pick<Settings, "hypervisors" | "nodes" | "linuxNodes">): Pick<Settings, "nodes" | "linuxNodes"> {
  const unreachable = namesIn(process.env[unreachableVariable]);
  const known = hypervisors.map(({ name }) => name);
  const unknown = unreachable.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    const names = known.length === 0 ? "there are none" : known.join(", ");
    throw new RunError(
      `${unreachableVariable} names ${unknown.join(", ")}, which is not among kindows:hypervisors (${names})`,
    );
  }
  const isReachable = ({ hypervisor }: Settings["nodes"][number]): boolean =>
    !unreachable.includes(hypervisor);
  return { nodes: nodes.filter(isReachable), linuxNodes: linuxNodes.filter(isReachable) };
}
