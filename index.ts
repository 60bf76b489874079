import { isDryRun } from "@pulumi/pulumi/runtime/index.js";
import { loadStack } from "./config/load.ts";
import type { StackSettings } from "./config/load.ts";
import { reachableNodes } from "./stacks/reachable-nodes.ts";
import { machineNodes } from "./config/sections/nodes.ts";

const { kubeconfig, sshPrivateKey, controlPlane, nodes, images } = await compose(
  await loadStack({
    network: async (...which) => {
      const { networkOfStack } = await import("./stacks/lab-images.ts");
      return networkOfStack(...which);
    },
    files: async (...which) => {
      const { filesOfStack } = await import("./stacks/lab-images.ts");
      return filesOfStack(...which);
    },
  }),
);
export { kubeconfig, sshPrivateKey, controlPlane, nodes, images };

/** Composes the stack. Modules of other kinds of stacks are not loaded. */
async function compose(stack: StackSettings) {
  if (stack.kind === "existing") {
    const { existingStack } = await import("./stacks/existing-stack.ts");
    // The user has the kubeconfig and keys already.
    return {
      kubeconfig: undefined,
      sshPrivateKey: undefined,
      images: undefined,
      ...(await existingStack(stack.settings)),
    };
  }
  const present = reachableNodes(stack.settings);
  // A preview works on any host, so the host's requirements are checked only before something is created.
  if (!isDryRun()) {
    const { preflight, prepareHost } = await import("./stacks/preflight.ts");
    await prepareHost();
    await preflight({ ...stack.settings, ...present });
  }
  const { kindOnLibvirt } = await import("./stacks/kind-on-libvirt.ts");
  return kindOnLibvirt(stack.settings, machineNodes(present));
}
