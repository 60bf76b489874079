import type { PodNetworkDefinition } from "./pod-network.ts";

/** The network of kind's node image. Linux pods have it as soon as their node is Ready; Windows pods have none. */
export const kindDefault: PodNetworkDefinition<undefined, never> = {
  title: "kind's own",
  choice: "kind's own for Linux pods, none on Windows, whose nodes get routes to pods and Services",
  settings: undefined,
  checks: [],
  linuxNodes: "kind",
  lackingOnWindows: () => ({
    noWindowsPodNetwork:
      "needs a pod network on Windows: kindows:cni.kind is kind-default, which has none",
  }),
  programs: {},
  onWindows: () => ({ kind: "none" }),
  nodeSteps: { beforeJoin: [], afterJoin: [] },
  components: () =>
    Promise.resolve({ install: ({ resource }) => ({ resource, windows: undefined }) }),
};
