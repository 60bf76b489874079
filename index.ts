import { isDryRun } from "@pulumi/pulumi/runtime/index.js";
import { loadStack } from "./config/load.ts";
import type { StackSettings } from "./config/load.ts";
import { machineNodes } from "./config/sections/nodes.ts";
import type { ExistingCluster } from "./stacks/existing-cluster.ts";
import type { Lab } from "./stacks/lab.ts";
import { reachableNodes } from "./stacks/reachable-nodes.ts";

const stack = await compose(
  await loadStack({
    network: async (...which) => {
      const { networkOfStack } = await import("./stacks/lab-images.ts");
      return networkOfStack(...which);
    },
    files: async (...which) => {
      const { filesOfStack } = await import("./stacks/lab-images.ts");
      return filesOfStack(...which);
    },
    given: async (written) => {
      const { givenOfStack } = await import("./stacks/lab-images.ts");
      return givenOfStack(written);
    },
  }),
);
// Of an existing cluster, the user has the kubeconfig already.
export const kubeconfig = "kubeconfig" in stack ? stack.kubeconfig : undefined;
export const images = "images" in stack ? stack.images : undefined;
export const { sshPrivateKey, controlPlane, nodes } = stack;

/** Composes the stack. Modules of other kinds of stacks are not loaded. */
async function compose(stack: StackSettings): Promise<Lab | ExistingCluster> {
  if (stack.kind === "existing") {
    const { existingClusterArgs } = await import("./stacks/existing-cluster-args.ts");
    const { ExistingCluster } = await import("./stacks/existing-cluster.ts");
    return new ExistingCluster("cluster", await existingClusterArgs(stack.settings));
  }
  const present = reachableNodes(stack.settings);
  // A preview works on any host, so the host's requirements are checked only before something is created.
  if (!isDryRun()) {
    const { preflight, prepareHost } = await import("./stacks/preflight.ts");
    await prepareHost();
    await preflight({ ...stack.settings, ...present });
  }
  const { labArgs } = await import("./stacks/lab-args.ts");
  const { Lab } = await import("./stacks/lab.ts");
  return new Lab("lab", await labArgs(stack.settings, machineNodes(present)));
}
