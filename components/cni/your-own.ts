import type { PodNetworkDefinition } from "./pod-network.ts";

/**
 * The user installs the pod network, with `kubectl` or otherwise. Nodes join and are not Ready until then, and nothing
 * waits for that.
 */
export const yourOwn: PodNetworkDefinition<undefined, never> = {
  title: "your own",
  choice: "your own, which you install: nodes are not Ready until then",
  settings: undefined,
  checks: [],
  linuxNodes: "yours",
  lackingOnWindows: () => ({}),
  programs: {},
  onWindows: () => ({ kind: "yours" }),
  nodeSteps: { beforeJoin: [], afterJoin: [] },
  components: () =>
    Promise.resolve({ install: ({ resource }) => ({ resource, windows: undefined }) }),
};
