import type { NodeSettings, Settings } from "./settings.ts";

/** All nodes that have a machine made here, whatever runs on it. */
export function machineNodes({
  nodes,
  linuxNodes,
}: Pick<Settings, "nodes" | "linuxNodes">): NodeSettings[] {
  return [...nodes, ...linuxNodes];
}
