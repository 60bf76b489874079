import { RunError } from "@pulumi/pulumi/errors.js";
import { namesIn } from "../config/names-list.ts";
import type { Settings } from "../config/settings.ts";

/** Names further hypervisors that do not answer, separated by commas: their nodes are left as they are. */
export const unreachableVariable = "KINDOWS_AWAY";

/**
 * The nodes this run is about: all but those on an unreachable hypervisor.
 *
 * What is not made by the program goes from the engine's state: whoever names a hypervisor there has to exclude what it
 * has (`--exclude`) as well, as `kindows up` does.
 *
 * @throws RunError when something else than a further hypervisor is named.
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
    const those = known.length === 0 ? "there are none" : known.join(", ");
    throw new RunError(
      `${unreachableVariable} names ${unknown.join(", ")}, which is not among kindows:hypervisors (${those})`,
    );
  }
  const isReachable = ({ hypervisor }: Settings["nodes"][number]): boolean =>
    !unreachable.includes(hypervisor);
  return { nodes: nodes.filter(isReachable), linuxNodes: linuxNodes.filter(isReachable) };
}
